import Domain
import Services
import Storage
import TestSupport
import Testing

/// `PASSWORD_POLICY=classes`.
@Suite struct PasswordClassesTests {
    private func verdict(on password: String) -> AppError? {
        do throws(AppError) {
            try PasswordPolicy.classes.check(password, name: "Anna Berger", email: "anna.berger@example.org")
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("purple lamp", ["an upper-case letter", "a digit"]),
        ("PURPLE LAMP 9", ["a lower-case letter"]),
        ("PurpleLamp9", ["a special character such as ! or -"]),
        ("Purple Lamp", ["a digit"]),
        ("12345679 8", ["an upper-case letter", "a lower-case letter"]),
        ("日本語のパスワー9", ["an upper-case letter", "a lower-case letter", "a special character such as ! or -"]),
    ])
    func `The error says what is missing`(password: String, missing: [String]) {
        let rejection = verdict(on: password)
        #expect(rejection?.reason == .passwordNeedsOtherCharacters)
        #expect(rejection?.code == .unprocessable)
        #expect(rejection?.message == "The password also needs: \(missing.joined(separator: ", ")).")
    }

    @Test(arguments: ["Purple lamp 9", "Grüße-an-1150", "Ωmega_3 öl", "aB3!aB3!"])
    func `All four classes suffice, in whatever script`(password: String) {
        #expect(verdict(on: password) == nil)
    }

    @Test(arguments: [
        ("aB3!", AppError.Reason.passwordTooShort), ("Happiness-Metric2026", .passwordIsServiceName),
        ("Anna.Berger-1984", .passwordIsOwnName),
    ])
    func `What the length policy refuses is refused for that reason`(password: String, reason: AppError.Reason) {
        #expect(verdict(on: password)?.reason == reason)
    }

    @Test func `Generated passwords comply with the policy`() {
        let passwords = (0..<500).map { _ in PasswordGenerator.password(for: .classes) }
        #expect(Set(passwords).count == passwords.count)
        #expect(passwords.allSatisfy { verdict(on: $0) == nil })
        #expect(passwords.allSatisfy { $0.split(separator: "-").map(\.count) == [4, 4, 4, 4] })
    }

    @Test func `The setting chooses the policy, and any other value is reported`() throws {
        #expect(try Settings(values: [:]).accounts.passwordPolicy == .length)
        #expect(try Settings(values: ["PASSWORD_POLICY": "classes"]).accounts.passwordPolicy == .classes)
        let error = #expect(throws: SettingsError.self) { try Settings(values: ["PASSWORD_POLICY": "strong"]) }
        #expect(error?.description == "Setting PASSWORD_POLICY must be one of: length, classes.")
    }

    @Test func `The policy applies wherever a password is set`() async throws {
        try await Accounts.with { accounts in
            let users = UserService(
                stores: accounts.stores, hasher: accounts.hasher, secret: TestTeam.secret, passwordPolicy: .classes)
            let new = UserService.NewUser(name: try UserName("Anna"), email: try EmailAddress("a@example.org"))
            let added = try await rejection { _ = try await users.add(new, password: Accounts.password, by: .operator) }
            #expect(added?.reason == .passwordNeedsOtherCharacters)
            let user = try await users.add(new, password: "Purple lamp 9", by: .operator)
            let set = try await rejection {
                try await users.setPassword(Accounts.password, of: user.id, by: .operator)
            }
            #expect(set?.reason == .passwordNeedsOtherCharacters)

            let changes = PasswordChangeService(
                stores: accounts.stores,
                secrets: Secrets(jwt: Accounts.secret, ballot: BallotSecret(key: Accounts.secret)),
                mails: MailJobs(jobs: accounts.stores.jobs, clock: accounts.clock.wall), hasher: accounts.hasher,
                passwordPolicy: .classes, authenticator: accounts.logins.authenticator, clock: accounts.clock.wall)
            let logIn = try await accounts.logIn(password: "Purple lamp 9")
            let changed = try await rejection {
                try await changes.change(
                    from: "Purple lamp 9", to: Accounts.password,
                    by: Principal(userID: user.id, sessionID: logIn.sessionID))
            }
            #expect(changed?.reason == .passwordNeedsOtherCharacters)
        }
    }
}
