import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

@Suite struct RegistrationServiceTests {
    @Test(arguments: StoreUnderTest.all)
    func `The domain gives the role, and the link creates the user`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            try await new.register("Anna", "anna@Guests.Example.org")
            let registration = try #require(
                try await new.stores.read { try $0.registration(email: "anna@guests.example.org") })
            #expect(try await new.mails(.registration) == [#"{"registrationID":"\#(registration.id)"}"#])
            #expect(try await new.stores.user(login: "Anna") == nil)
            let token = try await new.token(for: registration)
            #expect(try await new.registrations.pending(token: token) == registration)
            let user = try await new.confirm(token)
            #expect(user.role == .guest)
            #expect(user.language == .seen(.german))
            #expect(try await new.accounts.logIn("anna", password: NewAccounts.password).user.id == user.id)
            #expect(try await new.stores.read { try $0.registration(registration.id) } == nil)
            #expect(try await rejection { try await new.confirm(token) } == .linkExpired)
        }
    }

    @Test(arguments: ["anna@example.com", "anna@sub.example.org", "anna@example.org.evil.example"])
    func `Any other domain is refused, naming those that are open`(address: String) async throws {
        try await NewAccounts.with(.sqlite) { new in
            let error = try await rejection { try await new.register("Anna", address) }
            #expect(error?.reason == .domainNotOpen)
            #expect(error?.message.contains("example.org, guests.example.org") == true)
        }
    }

    @Test func `Nobody registers if no domain is open`() async throws {
        try await NewAccounts.with(.sqlite, domains: "") { new in
            let attempts: [() async throws -> Void] = [
                { try await new.register("Anna", "anna@example.org") },
                { try await new.registrations.resend(email: "anna@example.org", from: "192.0.2.1") },
                { _ = try await new.registrations.pending(token: "x") },
                { try await new.confirm("x") },
            ]
            for attempt in attempts {
                let reason = try await rejection(of: attempt)?.reason
                #expect(reason == .registrationOff)
            }
        }
    }

    /// The store gets the same calls, and the password is hashed twice: for the account, and for a log-in before that.
    @Test(arguments: StoreUnderTest.all)
    func `An address with an account costs the same work`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            try await new.accounts.addUser("Anna")
            for (name, address) in [("Other", "anna@example.org"), ("Newcomer", "nobody@example.org")] {
                let before = new.accounts.hasher.hashCount
                try await new.register(name, address)
                #expect(new.accounts.hasher.hashCount == before + 2)
                #expect(try await new.stores.read { try $0.registration(email: address) } != nil)
            }
            #expect(try await new.mails(.registration).count == 2)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A new request ends the previous request's link`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            try await new.register("Anna", "anna@example.org")
            let first = try #require(try await new.stores.read { try $0.registration(email: "anna@example.org") })
            let token = try await new.token(for: first)
            try await new.register("Annika", "ANNA@example.org")
            #expect(try await rejection { try await new.confirm(token) } == .linkExpired)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Another link is mailed three times an hour, and the answer is always the same`(
        store: StoreUnderTest
    ) async throws {
        try await NewAccounts.with(store) { new in
            try await new.register("Anna", "anna@example.org")
            for _ in 0..<5 { try await new.registrations.resend(email: "Anna@example.org", from: "192.0.2.1") }
            #expect(Set(try await new.mails(.registration)).count == 1)
            #expect(try await new.mails(.registration).count == RegistrationService.mailLimit)
            try await new.registrations.resend(email: "nobody@example.org", from: "192.0.2.1")
            let payloads = try await new.mails(.registration)
            #expect(payloads.count == RegistrationService.mailLimit + 1)
            #expect(Set(payloads.map(\.utf8.count)).count == 1)
        }
    }

    @Test func `A subscriber's many addresses are one origin`() async throws {
        try await NewAccounts.with(.sqlite) { new in
            for number in 0..<RegistrationService.requestLimit {
                try await new.registrations.resend(email: "a\(number)@example.org", from: "2001:db8::\(number)")
            }
            let error = try await rejection {
                try await new.register("Anna", "anna@example.org", from: "2001:db8::ffff")
            }
            #expect(error?.reason == .tooManyRegistrations)
            try await new.register("Anna", "anna@example.org", from: "2001:db8:0:1::1")
        }
    }

    @Test func `One origin may ask sixty times an hour`() async throws {
        try await NewAccounts.with(.sqlite) { new in
            for number in 0..<RegistrationService.requestLimit {
                try await new.registrations.resend(email: "a\(number)@example.org", from: "192.0.2.1")
            }
            let error = try await rejection { try await new.register("Anna", "anna@example.org") }
            #expect(error?.reason == .tooManyRegistrations)
            try await new.register("Anna", "anna@example.org", from: "192.0.2.2")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Name and password are checked while they can still be corrected`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            try await new.accounts.addUser("Anna")
            let cases = [
                ("ANNA", NewAccounts.password, AppError.Reason.nameTaken), ("Bert", "short", .passwordTooShort),
            ]
            for (name, password, reason) in cases {
                let error = try await rejection { try await new.register(name, "bert@example.org", password: password) }
                #expect(error?.reason == reason)
            }
            #expect(try await new.mails(.registration).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of two confirmations at the same moment, one wins`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            try await new.register("Anna", "anna@example.org")
            let registration = try #require(
                try await new.stores.read { try $0.registration(email: "anna@example.org") })
            let token = try await new.token(for: registration)
            let registrations = new.registrations
            let confirm: @Sendable () async throws -> Void = {
                _ = try await registrations.confirm(token: token, password: NewAccounts.password, from: "192.0.2.1")
            }
            let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<6 {
                    group.addTask { try await rejection(of: confirm) == nil }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(wins == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A name taken in the meantime is reported at the link`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store) { new in
            try await new.register("Bert", "anna@example.org")
            let registration = try #require(
                try await new.stores.read { try $0.registration(email: "anna@example.org") })
            let token = try await new.token(for: registration)
            try await new.accounts.addUser("Bert")
            let error = try await rejection { try await new.confirm(token) }
            #expect(error?.reason == .nameTaken)
            #expect(try await new.registrations.pending(token: token) == registration, "the link stays good")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Both forms of a domain are one domain and one account`(store: StoreUnderTest) async throws {
        try await NewAccounts.with(store, domains: "müller.example:guest") { new in
            #expect(new.registrations.domains.names == ["müller.example"])
            try await new.register("Hanna", "hanna@xn--mller-kva.example")
            let link = try #require(try await new.registrationWithLink(of: "Hanna@MÜLLER.example"))
            let user = try await new.confirm(link.token)
            #expect(user.email == "hanna@xn--mller-kva.example" && user.role == .guest)
            for login in ["hanna@müller.example", "HANNA@mu\u{308}ller.example", "hanna@xn--mller-kva.example"] {
                let session = try await new.accounts.logIn(login, password: NewAccounts.password)
                #expect(session.user.id == user.id, "\(login)")
            }
            let taken = try await rejection {
                try await new.stores.insert(
                    User(name: try UserName("Other"), email: try EmailAddress("hanna@müller.example")))
            }
            #expect(taken?.reason == .emailTaken)
            // The letter that looks like an u is Greek.
            let other = try await rejection { try await new.register("Eve", "hanna@mυ\u{308}ller.example") }
            #expect(other?.reason == .domainNotOpen)
        }
    }

    @Test(arguments: [
        "müller.example:member,xn--mller-kva.example:guest",
        "example.org", "example.org:", "example.org:admin", "example.org:owner", "nodot:member",
        "example.org:member,EXAMPLE.org:guest", "example.org:member;b.org:guest", "*.example.org:member",
    ])
    func `A setting without a domain and role is refused`(text: String) {
        #expect(throws: SettingsError.self) { try RegistrationDomains(setting: text) }
    }
}
