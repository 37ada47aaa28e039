import Domain
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct RegistrationStoreContract {
    @Test(arguments: StoreUnderTest.all)
    func `A registration is found as stored`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let registration = Registration.fixture("Anna@Example.org")
            try await stores.write { try $0.put(registration) }
            #expect(try await stores.read { try $0.registration(registration.id) } == registration)
            #expect(try await stores.read { try $0.registration(.random()) } == nil)
            for email in ["Anna@Example.org", "anna@example.org", " ANNA@EXAMPLE.ORG "] {
                #expect(try await stores.read { try $0.registration(email: email) } == registration, "\(email)")
            }
            #expect(try await stores.read { try $0.registration(email: "berta@example.org") } == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A registration replaces an earlier one for the address`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let first = Registration.fixture("anna@example.org", name: "Anna")
            let second = Registration.fixture("Anna@Example.org", name: "Other Anna")
            let other = Registration.fixture("berta@example.org", name: "Anna")
            for registration in [first, other, second] {
                try await stores.write { try $0.put(registration) }
            }
            #expect(try await stores.read { try $0.registration(first.id) } == nil)
            #expect(try await stores.read { try $0.registration(email: first.email) } == second)
            #expect(try await stores.read { try $0.registration(second.id) } == second)
            #expect(try await stores.read { try $0.registration(other.id) } == other)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many registrations of an address at once, one stays`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let ids = try await concurrently(20) { number in
                let registration = Registration.fixture(number.isMultiple(of: 2) ? "a@example.org" : "A@Example.org")
                try await stores.write { try $0.put(registration) }
                return registration.id
            }
            var stored: [Registration.ID] = []
            for id in ids where try await stores.read({ try $0.registration(id) }) != nil {
                stored.append(id)
            }
            #expect(stored.count == 1)
            #expect(try await stores.read { try $0.registration(email: "a@example.org") }?.id == stored.first)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Deleting a registration twice is no error`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let registration = Registration.fixture("anna@example.org")
            let other = Registration.fixture("berta@example.org")
            try await stores.write { try $0.put(registration) }
            try await stores.write { try $0.put(other) }
            for _ in 0..<2 {
                try await stores.write { try $0.deleteRegistration(registration.id) }
            }
            #expect(try await stores.read { try $0.registration(registration.id) } == nil)
            #expect(try await stores.read { try $0.registration(email: registration.email) } == nil)
            #expect(try await stores.read { try $0.registration(other.id) } == other)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Registrations that expired before an instant are deleted`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let early = Registration.fixture("anna@example.org", expires: Instants.now)
            let late = Registration.fixture("berta@example.org", expires: Instants.now + 1)
            try await stores.write { try $0.put(early) }
            try await stores.write { try $0.put(late) }
            try await stores.write { try $0.deleteExpiredRegistrations(before: Instants.now + 1) }
            #expect(try await stores.read { try $0.registration(early.id) } == nil)
            #expect(try await stores.read { try $0.registration(late.id) } == late)
        }
    }
}

extension Registration {
    fileprivate static func fixture(
        _ email: String, name: String = "Anna", expires: Date = Instants.now + Instants.day
    ) -> Registration {
        Registration(
            name: name, email: email, passwordHash: "$2b$12$x", role: .guest, locale: "de", expires: expires)
    }
}
