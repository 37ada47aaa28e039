import Testing

@testable import Domain

@Suite struct PasswordPolicyTests {
    private func reason(_ password: String) -> AppError.Reason? {
        do throws(AppError) {
            try PasswordPolicy.length.check(password, name: "Anna Berger", email: "anna.berger@example.org")
            return nil
        } catch {
            return error.reason
        }
    }

    @Test(arguments: [
        ("short", AppError.Reason.passwordTooShort),
        ("1234567", .passwordTooShort),
        ("PassWord1", .passwordTooCommon),
        ("qwertzuiop", .passwordTooCommon),
        ("zzzzzzzzzzzz", .passwordTooCommon),
        ("Happiness-Metric", .passwordIsServiceName),
        ("happiness2026", .passwordIsServiceName),
        ("AnnaBerger", .passwordIsOwnName),
        ("anna.berger-1984", .passwordIsOwnName),
        ("anna.berger@example.org", .passwordIsOwnName),
        ("two\nlines of it", .passwordNotText),
        (String(repeating: "ä", count: 37), .passwordTooLong),
    ])
    func `Obvious passwords are refused with the reason`(password: String, expected: AppError.Reason) {
        #expect(reason(password) == expected)
    }

    @Test(arguments: [
        "purple lamp", "ab1!ab1!", "Grüße an Wien", "annabergerisgreat", "日本語のパスワード", "12345679 8",
    ])
    func `Other passwords need no particular classes of characters`(password: String) {
        #expect(reason(password) == nil)
    }

    @Test func `The list contains only passwords that are long enough to matter`() {
        #expect(CommonPasswords.list.count >= 200)
        #expect(CommonPasswords.list.allSatisfy { $0.count >= 8 && $0 == $0.lowercased() })
    }

    @Test func `Generated passwords have 80 bits, comply with the policy and differ`() {
        let passwords = (0..<200).map { _ in PasswordGenerator.password() }
        #expect(Set(passwords).count == passwords.count)
        #expect(PasswordGenerator.alphabet.count == 32)
        #expect(PasswordGenerator.groups * PasswordGenerator.groupLength * 5 >= 80)
        for password in passwords {
            #expect(reason(password) == nil)
            #expect(password.split(separator: "-").map(\.count) == [4, 4, 4, 4])
        }
    }
}
