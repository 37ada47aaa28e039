import Domain
import Foundation
import Storage
import TestSupport
import Testing

@testable import Services

/// Confirming a registration requires the mailed link and the password typed with the request, never only one.
@Suite struct RegistrationConfirmationTests {
    /// Chosen by an attacker who registers another person's address.
    private static let strangersPassword = "a stranger's choice"

    @Test(arguments: StoreUnderTest.all)
    func `A wrong password is refused, and the link stays valid`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            try await new.register("Anna", "anna@example.org")
            let (registration, token) = try #require(try await new.registrationWithLink(of: "anna@example.org"))
            let other = try await new.token(for: registration)
            for wrong in ["", "a horse", String(repeating: "x", count: 100), "a\u{0}b"] {
                let before = new.accounts.hasher.hashCount
                let error = try await rejection { try await new.confirm(token, password: wrong) }
                #expect(error?.code == .forbidden && error?.reason == .wrongPassword)
                #expect(new.accounts.hasher.hashCount == before + 1, "the work is the same whatever is wrong")
            }
            #expect(try await new.stores.user(login: "anna@example.org") == nil)
            #expect(try await new.registrations.pending(token: other) == registration)
            let user = try await new.confirm(token)
            #expect(try await new.accounts.logIn("anna").user.id == user.id)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Someone who chose the password but lacks the mailbox cannot confirm`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            try await new.register("Mallory", "mallory@example.org", password: Self.strangersPassword)
            let (_, ownToken) = try #require(try await new.registrationWithLink(of: "mallory@example.org"))
            try await new.register("Anna", "anna@example.org", password: Self.strangersPassword)
            let registration = try #require(
                try await new.stores.read { try $0.registration(email: "anna@example.org") })
            for guess in [registration.id.description, "anna@example.org", "", "x"] {
                let error = try await rejection { try await new.confirm(guess, password: Self.strangersPassword) }
                #expect(error == .linkExpired)
            }
            #expect(try await new.confirm(ownToken, password: Self.strangersPassword).email == "mallory@example.org")
            #expect(try await new.stores.user(login: "anna@example.org") == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The mailbox's owner creates no account with a stranger's password`(
        store: StoreUnderTest
    ) async throws {
        try await NewAccounts.with(store) { new in
            // Anna's own request, which the attacker's replaces.
            try await new.register("Anna", "anna@example.org")
            try await new.register("Anna", "anna@example.org", password: Self.strangersPassword)
            let (_, token) = try #require(try await new.registrationWithLink(of: "anna@example.org"))
            let error = try await rejection { try await new.confirm(token) }
            #expect(error?.reason == .wrongPassword)
            #expect(try await new.stores.user(login: "anna@example.org") == nil)
            // Once more, and it is Anna's again.
            try await new.register("Anna", "anna@example.org")
            let (_, own) = try #require(try await new.registrationWithLink(of: "anna@example.org"))
            try await new.confirm(own)
            let stranger = try await rejection {
                _ = try await new.accounts.logIn("anna@example.org", password: Self.strangersPassword)
            }
            #expect(stranger?.reason == .wrongCredentials)
        }
    }

    /// A log-in on an installation that takes registrations.
    private func answer(
        _ login: String, _ password: String = NewAccounts.password, in new: NewAccounts
    ) async throws -> AppError.Reason? {
        let logins = try LoginService(
            stores: new.stores, secrets: Secrets(jwt: Accounts.secret, ballot: BallotSecret(key: Accounts.secret)),
            hasher: new.accounts.hasher, lifetimes: SessionLifetimes(),
            memberships: MembershipCache(stores: new.stores, clock: new.clock.wall),
            unconfirmed: UnconfirmedLogins(store: new.stores.rows, secret: Accounts.secret), clock: new.clock.wall)
        return try await rejection {
            _ = try await logins.logIn(
                login: login, password: password, device: "a phone", address: "192.0.2.1", lifetime: .rotating)
        }?.reason
    }

    @Test(arguments: StoreUnderTest.all)
    func `The right password before the confirmation says what is missing`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            try await new.register("Anna", "anna@example.org")
            let cases: [(String, String, AppError.Reason)] = [
                ("Anna", NewAccounts.password, .addressNotConfirmed),
                ("ANNA", NewAccounts.password, .addressNotConfirmed),
                (" Anna@Example.org ", NewAccounts.password, .addressNotConfirmed),
                ("Anna", "a horse", .wrongCredentials), ("anna@example.org", "a\u{0}b", .wrongCredentials),
                ("Bert", NewAccounts.password, .wrongCredentials), ("", "", .wrongCredentials),
            ]
            for (login, password, expected) in cases {
                let before = new.accounts.hasher.hashCount
                #expect(try await answer(login, password, in: new) == expected, "\(login)")
                #expect(new.accounts.hasher.hashCount == before + 2, "the work is the same for everybody")
            }
            let (_, token) = try #require(try await new.registrationWithLink(of: "anna@example.org"))
            try await new.confirm(token)
            #expect(try await answer("anna", in: new) == nil)
            try await new.accounts.users.setDisabled(
                true, of: try #require(try await new.stores.user(login: "anna")).id, by: .operator)
            #expect(try await answer("anna", in: new) == .wrongCredentials, "there is nothing to confirm any more")
        }
    }

    /// A stranger registers the addresses of others, and asks with their own password what became of it.
    @Test(arguments: StoreUnderTest.all)
    func `Who registers another person's address gets one answer, whatever its owner has or does`(
        store: StoreUnderTest
    ) async throws {
        try await NewAccounts.with(store) { new in
            try await new.accounts.addUser("Bert")
            let addresses = ["bert@example.org", "carl@example.org", "dora@example.org"]
            for (number, address) in addresses.enumerated() {
                try await new.register("Mallory\(number)", address, password: Self.strangersPassword)
            }
            // Carl registers himself, which replaces the registration, and Dora even confirms hers.
            try await new.register("Carl", "carl@example.org")
            try await new.register("Dora", "dora@example.org")
            let (_, token) = try #require(try await new.registrationWithLink(of: "dora@example.org"))
            try await new.confirm(token)
            for address in addresses {
                #expect(try await answer(address, Self.strangersPassword, in: new) == .addressNotConfirmed)
            }
            #expect(try await answer("bert@example.org", Accounts.password, in: new) == nil)
            #expect(try await answer("carl@example.org", in: new) == .addressNotConfirmed)
            #expect(try await answer("dora@example.org", in: new) == nil)
            new.clock.advance(by: 7 * 86_400)
            for address in addresses {
                #expect(try await answer(address, Self.strangersPassword, in: new) == .wrongCredentials)
            }
        }
    }

    /// Otherwise a stranger could guess the password of an address's owner by registering the address with each guess.
    @Test(arguments: StoreUnderTest.all)
    func `The password of a registration is slowed down as a wrong one is`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            try await new.accounts.addUser("Bert")
            try await new.register("Mallory", "bert@example.org", password: Self.strangersPassword)
            for _ in 0..<LoginThrottle.accountAllowance {
                #expect(
                    try await answer("bert@example.org", Self.strangersPassword, in: new) == .addressNotConfirmed)
            }
            let before = new.accounts.hasher.hashCount
            #expect(try await answer("bert@example.org", Self.strangersPassword, in: new) == .tooManyLogIns)
            #expect(new.accounts.hasher.hashCount == before)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Wrong passwords are slowed down as failed log-ins are`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            try await new.register("Anna", "anna@example.org")
            let (_, token) = try #require(try await new.registrationWithLink(of: "anna@example.org"))
            for number in 0..<LoginThrottle.accountAllowance {
                let error = try await rejection {
                    try await new.confirm(token, password: "wrong", from: "192.0.2.\(number)")
                }
                #expect(error?.reason == .wrongPassword)
            }
            let before = new.accounts.hasher.hashCount
            let early = try await rejection { try await new.confirm(token, from: "192.0.2.99") }
            #expect(early?.code == .tooManyRequests && early?.retryAfter == 1)
            #expect(new.accounts.hasher.hashCount == before)
            new.clock.now += 1
            try await new.confirm(token)
        }
    }

    @Test func `Wrong passwords for many registrations are counted by their origin`() async throws {
        try await NewAccounts.with(.sqlite) { new in
            for number in 0..<LoginThrottle.addressAllowance {
                try await new.register("Anna\(number)", "anna\(number)@example.org")
                let (_, token) = try #require(try await new.registrationWithLink(of: "anna\(number)@example.org"))
                _ = try await rejection { try await new.confirm(token, password: "wrong") }
            }
            try await new.register("Bert", "bert@example.org")
            let (_, token) = try #require(try await new.registrationWithLink(of: "bert@example.org"))
            #expect(try await rejection { try await new.confirm(token) }?.code == .tooManyRequests)
            try await new.confirm(token, from: "198.51.100.1")
        }
    }

    @Test func `Failed log-ins with an address do not keep its owner from confirming`() async throws {
        try await NewAccounts.with(.sqlite) { new in
            try await new.register("Anna", "anna@example.org")
            let (_, token) = try #require(try await new.registrationWithLink(of: "anna@example.org"))
            for number in 0..<LoginThrottle.accountAllowance {
                _ = try await rejection {
                    _ = try await new.accounts.logIn(
                        "anna@example.org", password: "wrong", address: "198.51.100.\(number)")
                }
            }
            try await new.confirm(token)
        }
    }
}
