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
