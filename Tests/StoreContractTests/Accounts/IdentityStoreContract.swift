import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

@Suite struct IdentityStoreContract {
    private static let issuer = "https://id.example.org"

    @Test(arguments: StoreUnderTest.all)
    func `An identity is found by issuer and subject together`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let identity = ExternalIdentity(issuer: Self.issuer, subject: "248289761001", userID: user.id)
            try await stores.insert(identity)
            func find(_ issuer: String, _ subject: String) async throws -> ExternalIdentity? {
                try await stores.read { try $0.identity(issuer: issuer, subject: subject) }
            }
            #expect(try await find(Self.issuer, "248289761001") == identity)
            #expect(try await find("https://other.example.org", "248289761001") == nil)
            #expect(try await find(Self.issuer, "248289761002") == nil)
            #expect(try await find("", "") == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The mark of one identity is replaced, and those of one user are removed`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let users = [try await stores.makeUser(), try await stores.makeUser()]
            let marked: [(String, User, String?)] = [("1", users[0], nil), ("2", users[0], "a"), ("3", users[1], "b")]
            let identities = marked.map { subject, user, mark in
                ExternalIdentity(issuer: Self.issuer, subject: subject, userID: user.id, emailMark: mark)
            }
            for identity in identities { try await stores.insert(identity) }
            #expect(try await stores.read { try $0.identities(of: users[0].id) } == Array(identities[..<2]))
            for subject in ["1", "2", "unknown"] {
                try await stores.transaction {
                    try $0.setEmailMark("c\(subject)", ofIssuer: Self.issuer, subject: subject)
                }
            }
            let marks = try await stores.read { try $0.identities(of: users[0].id) }.map(\.emailMark)
            #expect(marks == ["c1", "c2"])
            try await stores.transaction { try $0.deleteIdentities(of: users[0].id) }
            #expect(try await stores.read { try $0.identities(of: users[0].id) }.isEmpty)
            #expect(try await stores.read { try $0.identity(issuer: Self.issuer, subject: "3") } == identities[2])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Subjects are compared by case`(kind: StoreUnderTest) async throws {
        // OpenID Connect Core 1.0 §2: "sub" is a case-sensitive string.
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            for subject in ["abc", "ABC"] {
                try await stores.insert(ExternalIdentity(issuer: Self.issuer, subject: subject, userID: user.id))
            }
            #expect(try await stores.read { try $0.identity(issuer: Self.issuer, subject: "Abc") } == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An identity belongs to one user`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let other = try await stores.makeUser()
            let identity = ExternalIdentity(issuer: Self.issuer, subject: "1", userID: user.id)
            try await stores.insert(identity)
            for userID in [user.id, other.id] {
                await expectRejection(.conflict, reason: .identityTaken) {
                    try await stores.insert(ExternalIdentity(issuer: Self.issuer, subject: "1", userID: userID))
                }
            }
            #expect(try await stores.read { try $0.identity(issuer: Self.issuer, subject: "1") } == identity)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An identity's news is enqueued with it or not at all`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let identity = ExternalIdentity(issuer: Self.issuer, subject: "1", userID: user.id)
            let news = Job(kind: "mail", runAt: Instants.now)
            try await stores.transaction { try $0.add(identity, enqueueing: news) }
            await expectRejection(.conflict, reason: .identityTaken) {
                try await stores.transaction {
                    try $0.add(identity, enqueueing: Job(kind: "mail", runAt: Instants.now))
                }
            }
            await expectRejection(.notFound, reason: .noSuchUser) {
                let nobodys = ExternalIdentity(issuer: Self.issuer, subject: "2", userID: .random())
                try await stores.transaction { try $0.add(nobodys, enqueueing: Job(kind: "mail", runAt: Instants.now)) }
            }
            #expect(try await stores.jobs.list(state: nil, limit: 10) == [news])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many who take an identity at once, one gets it`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let inserted = try await concurrently(20) { _ in
                let user = try await stores.makeUser()
                do {
                    try await stores.insert(ExternalIdentity(issuer: Self.issuer, subject: "1", userID: user.id))
                    return true
                } catch let error as AppError {
                    #expect(error.reason == .identityTaken)
                    return false
                }
            }
            #expect(inserted.count(where: { $0 }) == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An identity needs its user`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            await expectRejection(.notFound, reason: .noSuchUser) {
                try await stores.insert(ExternalIdentity(issuer: Self.issuer, subject: "1", userID: .random()))
            }
            let identity = try await stores.read { try $0.identity(issuer: Self.issuer, subject: "1") }
            #expect(identity == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A user's identities are listed by issuer, then subject`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let identities = [("https://b", "1"), ("https://a", "2"), ("https://a", "10"), ("https://a", "B")]
                .map { ExternalIdentity(issuer: $0.0, subject: $0.1, userID: user.id) }
            for identity in identities {
                try await stores.insert(identity)
            }
            let other = try await stores.makeUser()
            try await stores.insert(ExternalIdentity(issuer: "https://a", subject: "other", userID: other.id))
            #expect(
                try await stores.read { try $0.identities(of: user.id) }
                    == [identities[2], identities[1], identities[3], identities[0]])
            #expect(try await stores.read { try $0.identities(of: .random()) }.isEmpty)
        }
    }
}
