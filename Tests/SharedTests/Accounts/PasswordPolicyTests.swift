import Services
import Testing

@testable import Domain

@Suite struct PasswordPolicyTests {
    private func reason(_ password: String) -> String? {
        do throws(AppError) {
            try PasswordPolicy.length.check(password, name: "Anna Berger", email: "anna.berger@example.org")
            return nil
        } catch {
            return error.reason
        }
    }

    @Test(arguments: [
        ("short", "password-too-short"),
        ("1234567", "password-too-short"),
        ("PassWord1", "password-too-common"),
        ("qwertzuiop", "password-too-common"),
        ("zzzzzzzzzzzz", "password-too-common"),
        ("Happiness-Metric", "password-is-service-name"),
        ("happiness2026", "password-is-service-name"),
        ("AnnaBerger", "password-is-own-name"),
        ("anna.berger-1984", "password-is-own-name"),
        ("anna.berger@example.org", "password-is-own-name"),
        ("two\nlines of it", "password-not-text"),
        (String(repeating: "ä", count: 37), "password-too-long"),
    ])
    func `Obvious passwords are refused with the reason`(password: String, expected: String) {
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
