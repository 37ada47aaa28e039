import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

@Suite struct PasswordResetServiceTests {
    private static let password = "nine blue kettles"

    @Test(arguments: StoreUnderTest.all)
    func `A mail is requested in the account's name`(store: StoreUnderTest) async throws {
        try await MailedLinks.with(store) { links in
            let user = try await links.accounts.addUser()
            try await links.resets.request(for: try EmailAddress("ANNA@example.ORG"), from: "192.0.2.1")
            #expect(try await links.mails(.passwordReset) == [#"{"userID":"\#(user.id)"}"#])
        }
    }

    /// The store gets the same calls: one use of a quota, one query for a user, one job of the same kind and size.
    @Test(arguments: StoreUnderTest.all)
    func `An unknown and a disabled address cost the same work and reach nobody`(store: StoreUnderTest) async throws {
        try await MailedLinks.with(store) { links in
            let disabled = try await links.accounts.addUser("Bert")
            try await links.accounts.users.setDisabled(true, of: disabled.id, by: .operator)
            let known = try await links.accounts.addUser("Anna")
            for address in ["anna@example.org", "bert@example.org", "nobody@example.org"] {
                try await links.resets.request(for: try EmailAddress(address), from: "192.0.2.1")
            }
            let payloads = try await links.mails(.passwordReset)
            #expect(payloads.count == 3)
            #expect(Set(payloads.map(\.utf8.count)).count == 1)
            #expect(payloads.filter { $0.contains("\(known.id)") }.count == 1)
            #expect(!payloads.contains { $0.contains("\(disabled.id)") })
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An address gets three mails an hour, in whatever case it is typed`(store: StoreUnderTest) async throws {
        try await MailedLinks.with(store) { links in
            try await links.accounts.addUser()
            for text in ["anna@example.org", "Anna@example.org", "ANNA@EXAMPLE.ORG", "anna@example.org"] {
                try await links.resets.request(for: try EmailAddress(text), from: "192.0.2.1")
            }
            #expect(try await links.mails(.passwordReset).count == 3)
            for _ in 0..<5 {
                try await links.resets.request(for: try EmailAddress("nobody@example.org"), from: "192.0.2.1")
            }
            #expect(try await links.mails(.passwordReset).count == 6)
            links.clock.advance(by: PasswordResetService.mailWindow + 1)
            try await links.resets.request(for: try EmailAddress("anna@example.org"), from: "192.0.2.1")
            #expect(try await links.mails(.passwordReset).count == 7)
        }
    }

    /// An attacker with made-up addresses must not fill the store with jobs, nor keep the worker busy.
    @Test func `One origin may ask sixty times an hour, whatever the addresses`() async throws {
        try await MailedLinks.with(.sqlite) { links in
            for number in 0..<PasswordResetService.requestLimit {
                try await links.resets.request(
                    for: try EmailAddress("a\(number)@example.org"), from: "2001:db8::\(number)")
            }
            let one = try EmailAddress("anna@example.org")
            let error = try await rejection { try await links.resets.request(for: one, from: "2001:db8::ffff") }
            #expect(error?.reason == .tooManyMails && error?.retryAfter != nil)
            #expect(try await links.mails(.passwordReset).count == PasswordResetService.requestLimit)
            try await links.resets.request(for: one, from: "2001:db8:0:1::1")
            links.clock.advance(by: PasswordResetService.mailWindow + 1)
            try await links.resets.request(for: one, from: "2001:db8::1")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Simultaneous requests get no more than three mails`(store: StoreUnderTest) async throws {
        try await MailedLinks.with(store) { links in
            try await links.accounts.addUser()
            let address = try EmailAddress("anna@example.org")
            let resets = links.resets
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<12 { group.addTask { try await resets.request(for: address, from: "192.0.2.1") } }
                try await group.waitForAll()
            }
            #expect(try await links.mails(.passwordReset).count == 3)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A link sets the password, ends all sessions and notifies the owner`(store: StoreUnderTest) async throws {
        try await MailedLinks.with(store) { links in
            let user = try await links.accounts.addUser()
            let logIn = try await links.accounts.logIn()
            let link = try await links.link(.passwordReset, to: user)
            #expect(try await links.resets.account(of: link).id == user.id)
            try await links.resets.reset(link, to: Self.password)
            #expect(try await links.accounts.refusalOfToken(logIn.accessToken) == .sessionEnded)
            #expect(try await rejection { _ = try await links.accounts.logIn() }?.reason == .wrongCredentials)
            _ = try await links.accounts.logIn(password: Self.password)
            #expect(try await links.mails(.passwordChanged) == [#"{"userID":"\#(user.id)"}"#])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Using a link ends it and the account's others`(store: StoreUnderTest) async throws {
        try await MailedLinks.with(store) { links in
            let user = try await links.accounts.addUser()
            let first = try await links.link(.passwordReset, to: user)
            let second = try await links.link(.passwordReset, to: user)
            let other = try await links.link(.passwordReset, to: try await links.accounts.addUser("Bert"))
            try await links.resets.reset(second, to: Self.password)
            for link in [first, second] {
                let error = try await rejection { try await links.resets.reset(link, to: "another good one") }
                #expect(error == .linkExpired)
            }
            _ = try await links.accounts.logIn(password: Self.password)
            try await links.resets.reset(other, to: Self.password)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many who use a link at the same moment, one wins`(store: StoreUnderTest) async throws {
        try await MailedLinks.with(store) { links in
            let user = try await links.accounts.addUser()
            let tokens = [
                try await links.link(.passwordReset, to: user), try await links.link(.passwordReset, to: user),
            ]
            let resets = links.resets
            let winners = try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let password = "password of racer \(number)"
                        let refused = try await rejection { try await resets.reset(tokens[number % 2], to: password) }
                        #expect(refused == nil || refused == .linkExpired)
                        return refused == nil ? password : nil
                    }
                }
                return try await group.compactMap { $0 }.reduce(into: []) { $0.append($1) }
            }
            #expect(winners.count == 1)
            _ = try await links.accounts.logIn(password: try #require(winners.first))
            #expect(try await links.mails(.passwordChanged).count == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A refused password leaves the link as it is`(store: StoreUnderTest) async throws {
        try await MailedLinks.with(store) { links in
            let link = try await links.link(.passwordReset, to: try await links.accounts.addUser())
            for (password, reason) in [
                ("short", AppError.Reason.passwordTooShort), ("password1", .passwordTooCommon),
                (String(repeating: "long ", count: 20), .passwordTooLong), ("anna1984", .passwordIsOwnName),
            ] {
                let error = try await rejection { try await links.resets.reset(link, to: password) }
                #expect(error?.reason == reason)
            }
            try await links.resets.reset(link, to: Self.password)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A link is valid for an hour by the clock of the process that checks it`(store: StoreUnderTest) async throws {
        try await MailedLinks.with(store) { links in
            let user = try await links.accounts.addUser()
            let link = try await links.link(.passwordReset, to: user)
            // The worker's clock may be ahead: the link was then created in the future and is valid anyway.
            links.clock.advance(by: -600)
            #expect(try await links.resets.account(of: link).id == user.id)
            links.clock.advance(by: 600 + OneTimeToken.Purpose.passwordReset.lifetime - 1)
            #expect(try await links.resets.account(of: link).id == user.id)
            links.clock.advance(by: 1)
            #expect(try await rejection { _ = try await links.resets.account(of: link) } == .linkExpired)
            #expect(try await rejection { try await links.resets.reset(link, to: Self.password) } == .linkExpired)
            _ = try await links.accounts.logIn()
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Links of other kinds, to old addresses and of disabled accounts are invalid`(
        store: StoreUnderTest
    ) async throws {
        try await MailedLinks.with(store) { links in
            let user = try await links.accounts.addUser()
            let disabled = try await links.accounts.addUser("Bert")
            let bad = [
                "", "made up", String(repeating: "A", count: 43),
                try await links.link(.emailChange, to: user), try await links.link(.invitation, to: user),
                try await links.link(.passwordReset, to: user, at: "former@example.org"),
                try await links.link(.passwordReset, to: disabled),
            ]
            try await links.accounts.users.setDisabled(true, of: disabled.id, by: .operator)
            for link in bad {
                #expect(try await rejection { _ = try await links.resets.account(of: link) } == .linkExpired)
                #expect(try await rejection { try await links.resets.reset(link, to: Self.password) } == .linkExpired)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A reset ends the wait after failed log-ins`(store: StoreUnderTest) async throws {
        try await MailedLinks.with(store) { links in
            let user = try await links.accounts.addUser()
            for _ in 0..<5 { _ = try await rejection { _ = try await links.accounts.logIn(password: "wrong one") } }
            #expect(try await rejection { _ = try await links.accounts.logIn() }?.reason == .tooManyLogIns)
            try await links.resets.reset(try await links.link(.passwordReset, to: user), to: Self.password)
            _ = try await links.accounts.logIn(password: Self.password)
        }
    }

    /// Otherwise an attacker who had access to the account would get it back with the link in their own mailbox.
    @Test(arguments: StoreUnderTest.all)
    func `A new password discards the address waiting for confirmation`(store: StoreUnderTest) async throws {
        for isReset in [true, false] {
            try await MailedLinks.with(store) { links in
                let user = try await links.accounts.addUser()
                let logIn = try await links.accounts.logIn()
                let principal = Principal(userID: user.id, sessionID: logIn.sessionID)
                let thief = try EmailAddress("thief@example.org")
                try await links.emails.request(thief, password: Accounts.password, by: principal)
                let link = try await links.link(.emailChange, to: user, at: thief.text)
                let reset = try await links.link(.passwordReset, to: user)
                if isReset {
                    try await links.resets.reset(reset, to: Self.password)
                } else {
                    try await links.changes.change(from: Accounts.password, to: Self.password, by: principal)
                }
                #expect(try await links.user(user.id)?.pendingEmail == nil)
                #expect(try await rejection { try await links.emails.confirm(link) } == .linkExpired)
                #expect(try await rejection { _ = try await links.resets.account(of: reset) } == .linkExpired)
                #expect(try await links.user(user.id)?.email == user.email)
                #expect(try await links.mails(.passwordChanged).count == 1)
            }
        }
    }

    @Test func `Nothing is done while the store is unavailable`() async throws {
        try await TemporaryDirectory.with { directory in
            let stores = try SQLiteStorage.open(path: directory.path("happiness.sqlite"))
            _ = try await stores.system.migrate()
            let links = try MailedLinks(stores: stores)
            let link = try await links.link(.passwordReset, to: try await links.accounts.addUser())
            try await stores.system.close()
            for address in ["anna@example.org", "nobody@example.org"] {
                let error = try await rejection {
                    try await links.resets.request(for: try EmailAddress(address), from: "192.0.2.1")
                }
                #expect(error == .storeUnavailable)
            }
            #expect(try await rejection { try await links.resets.reset(link, to: Self.password) } == .storeUnavailable)

            let again = try MailedLinks(stores: try SQLiteStorage.open(path: directory.path("happiness.sqlite")))
            try await again.resets.reset(link, to: Self.password)
            try await again.stores.system.close()
        }
    }
}
