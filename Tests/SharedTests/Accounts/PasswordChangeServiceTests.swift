import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

@Suite struct PasswordChangeServiceTests {
    private static let password = "another one"

    @Test(arguments: StoreUnderTest.all)
    func `Changing the password needs the current one and ends the other sessions`(store: StoreUnderTest) async throws {
        try await MailedLinks.with(store) { links in
            let (accounts, changes) = (links.accounts, links.changes)
            try await accounts.addUser()
            let token = try await accounts.logIn().accessToken
            let present = try await accounts.authenticate(token)
            let other = try await accounts.logIn()
            let wrong = try await rejection {
                try await changes.change(from: "not it", to: Self.password, by: present)
            }
            #expect(wrong?.reason == .wrongPassword)
            let weak = try await rejection {
                try await changes.change(from: Accounts.password, to: "short", by: present)
            }
            #expect(weak?.reason == .passwordTooShort)
            #expect(try await accounts.refusalOfToken(other.accessToken) == nil, "a refusal ends nothing")
            try await changes.change(from: Accounts.password, to: Self.password, by: present)
            #expect(try await accounts.refusalOfToken(token) == nil)
            #expect(try await accounts.refusalOfToken(other.accessToken) == .sessionEnded)
            #expect(try await rejection { _ = try await accounts.logIn() }?.reason == .wrongCredentials)
            _ = try await accounts.logIn(password: Self.password)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A password that somebody else set is marked until its owner chooses another`(
        store: StoreUnderTest
    ) async throws {
        try await MailedLinks.with(store) { links in
            let accounts = links.accounts
            let user = try await accounts.addUser()
            #expect(try await links.user(user.id)?.passwordIsHandedOut == true)
            let principal = Principal(userID: user.id, sessionID: try await accounts.logIn().sessionID)
            let ways: [(name: String, choose: (String) async throws -> Void)] = [
                ("settings", { try await links.changes.change(from: "handed out", to: $0, by: principal) }),
                ("link", { try await links.resets.reset(try await links.link(.passwordReset, to: user), to: $0) }),
            ]
            for (name, choose) in ways {
                try await accounts.users.setPassword("handed out", of: user.id, by: .operator)
                #expect(try await links.user(user.id)?.passwordIsHandedOut == true, "\(name)")
                let same = try await rejection { try await choose("handed out") }
                #expect(same?.reason == .passwordIsHandedOut, "\(name)")
                #expect(try await links.user(user.id)?.passwordIsHandedOut == true, "\(name)")
                try await choose("my own choice")
                #expect(try await links.user(user.id)?.passwordIsHandedOut == false, "\(name)")
            }
            // It is their own by now, so it may stay.
            try await links.changes.change(from: "my own choice", to: "my own choice", by: principal)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A refused password does not use up the link`(store: StoreUnderTest) async throws {
        try await MailedLinks.with(store) { links in
            let user = try await links.accounts.addUser()
            let link = try await links.link(.passwordReset, to: user)
            let same = try await rejection { try await links.resets.reset(link, to: Accounts.password) }
            #expect(same?.reason == .passwordIsHandedOut)
            try await links.resets.reset(link, to: Self.password)
            #expect(try await links.user(user.id)?.passwordIsHandedOut == false)
        }
    }

    /// Otherwise an attacker who knew the old password could come back with a link they requested before.
    @Test(arguments: StoreUnderTest.all)
    func `A new password ends all links and codes of the account`(store: StoreUnderTest) async throws {
        try await MailedLinks.with(store) { links in
            let accounts = links.accounts
            let user = try await accounts.addUser()
            let principal = Principal(userID: user.id, sessionID: try await accounts.logIn().sessionID)
            let ways: [(String, () async throws -> Void)] = [
                (
                    "the owner",
                    { try await links.changes.change(from: Accounts.password, to: Self.password, by: principal) }
                ),
                (
                    "the owner with a link",
                    { try await links.resets.reset(try await links.link(.passwordReset, to: user), to: Self.password) }
                ),
                (
                    "an administrator",
                    { try await accounts.users.setPassword(Self.password, of: user.id, by: .operator) }
                ),
            ]
            let codes = LoginCodes(stores: links.stores, clock: links.clock.wall)
            for (who, setPassword) in ways {
                try await links.stores.update(id: user.id, UserUpdate(pendingEmail: .set("thief@example.org")))
                let reset = try await links.link(.passwordReset, to: user)
                let change = try await links.link(.emailChange, to: user, at: "thief@example.org")
                let code = try await codes.make(for: user)
                try await setPassword()
                #expect(try await links.stores.read { try $0.tokens(of: user.id.description) }.isEmpty, "\(who)")
                #expect(try await rejection { _ = try await links.resets.account(of: reset) } == .linkExpired)
                #expect(try await rejection { try await links.emails.confirm(change) } == .linkExpired)
                let exchange = try await rejection {
                    _ = try await codes.exchange(code, device: "x", through: accounts.logins)
                }
                #expect(exchange?.reason == .logInCodeExpired, "\(who)")
                #expect(try await links.user(user.id)?.pendingEmail == nil, "\(who)")
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A changed address ends links and codes sent to the old one`(store: StoreUnderTest) async throws {
        try await MailedLinks.with(store) { links in
            let user = try await links.accounts.addUser()
            let codes = LoginCodes(stores: links.stores, clock: links.clock.wall)
            _ = try await links.link(.passwordReset, to: user)
            _ = try await codes.make(for: user)
            try await links.stores.update(id: user.id, UserUpdate(pendingEmail: .set("anna@new.example")))
            try await links.emails.confirm(try await links.link(.emailChange, to: user, at: "anna@new.example"))
            #expect(try await links.stores.read { try $0.tokens(of: user.id.description) }.isEmpty)
        }
    }
}
