import Domain
import Foundation
import Storage
import TestSupport
import Testing

@Suite struct TokenStoreContract {
    private static let now = Instants.now
    private static let subject = User.ID.random().description

    @Test(arguments: StoreUnderTest.all, OneTimeToken.Purpose.allCases)
    func `A token is found as inserted until it expires`(
        kind: StoreUnderTest, purpose: OneTimeToken.Purpose
    ) async throws {
        try await kind.withStores { stores in
            let (text, token) = OneTimeToken.make(
                purpose, subject: Self.subject, email: "Anna@Example.org", at: Self.now)
            try await stores.insert(token)
            func find(_ text: String, at now: Date) async throws -> OneTimeToken? {
                try await stores.read { try $0.token(hash: OneTimeToken.hash(of: text), purpose: purpose, at: now) }
            }
            #expect(try await find(text, at: Self.now) == token)
            #expect(try await find(text, at: token.expires - 1) == token)
            #expect(try await find(text, at: token.expires) == nil)
            #expect(try await find(text + "x", at: Self.now) == nil)
            #expect(try await find("", at: Self.now) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A token is of no use for another purpose`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let token = try await stores.makeToken(.passwordReset)
            for purpose in OneTimeToken.Purpose.allCases where purpose != .passwordReset {
                #expect(try await stores.read { try $0.token(hash: token.hash, purpose: purpose, at: Self.now) } == nil)
            }
            #expect(try await stores.has(token))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Tokens of a subject are deleted by purpose`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let reset = try await stores.makeToken(.passwordReset, subject: Self.subject)
            let change = try await stores.makeToken(.emailChange, subject: Self.subject)
            let other = try await stores.makeToken(.passwordReset)
            try await stores.write { try $0.deleteTokens(purpose: .passwordReset, subject: Self.subject) }
            try await stores.write { try $0.deleteTokens(purpose: .passwordReset, subject: Self.subject) }
            #expect(try await stores.has(reset) == false)
            #expect(try await stores.has(change))
            #expect(try await stores.has(other))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Tokens that expired before an instant are deleted`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let early = try await stores.makeToken(.passwordReset)
            let late = try await stores.makeToken(.passwordReset, at: Self.now + 1)
            try await stores.write { try $0.deleteExpiredTokens(before: late.expires) }
            // With an old date, so that expiry itself hides nothing.
            #expect(try await stores.has(early) == false)
            #expect(try await stores.has(late))
        }
    }
}

@Suite struct QuotaContract {
    private static let now = Instants.now
    private static let hour: TimeInterval = 3_600

    @Test(arguments: StoreUnderTest.all)
    func `A quota is taken up to its limit and free again after its window`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            func take(_ key: UInt8 = 1, after seconds: TimeInterval) async throws -> Bool {
                try await stores.write { try $0.takeQuota([key], limit: 3, window: Self.hour, at: Self.now + seconds) }
            }
            for second in 0..<3 {
                let isTaken = try await take(after: TimeInterval(second))
                #expect(isTaken)
            }
            #expect(try await take(after: 3) == false)
            // A rejected attempt does not count: as soon as the first one expires, another one is allowed.
            #expect(try await take(after: Self.hour - 1) == false)
            #expect(try await take(after: Self.hour))
            #expect(try await take(after: Self.hour) == false)
            #expect(try await take(after: Self.hour + 1))
            #expect(try await take(2, after: 3), "another key has places of its own")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A quota of zero is never granted`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            for _ in 0..<2 {
                let isTaken = try await stores.write {
                    try $0.takeQuota([1], limit: 0, window: Self.hour, at: Self.now)
                }
                #expect(isTaken == false)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of twenty who take a quota of three at once, three get it`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let taken = try await concurrently(20) { _ in
                try await stores.write { try $0.takeQuota([1], limit: 3, window: Self.hour, at: Self.now) }
            }
            #expect(taken.count(where: { $0 }) == 3)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A quota place taken by a fast clock is valid`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            func take(at now: Date) async throws -> Bool {
                try await stores.write { try $0.takeQuota([1], limit: 1, window: Self.hour, at: now) }
            }
            let isTakenAhead = try await take(at: Self.now + 120)
            #expect(isTakenAhead)
            #expect(try await take(at: Self.now) == false)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Places older than a day are deleted, and younger ones are not`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            // So long a window includes everything still stored.
            func take(_ key: UInt8, limit: Int, at now: Date) async throws -> Bool {
                try await stores.write { try $0.takeQuota([key], limit: limit, window: 30 * Instants.day, at: now) }
            }
            for key: UInt8 in [1, 2] {
                #expect(try await take(key, limit: 9, at: Self.now))
            }
            #expect(try await take(1, limit: 9, at: Self.now + 1))
            try await stores.write { try $0.deleteExpiredTokens(before: Self.now + 1 + Instants.day) }
            #expect(try await take(1, limit: 1, at: Self.now + 2) == false)
            #expect(try await take(1, limit: 2, at: Self.now + 2))
            #expect(try await take(2, limit: 1, at: Self.now + 2))
        }
    }
}

extension Stores {
    /// A token for an unknown user, unless specified otherwise.
    func makeToken(
        _ purpose: OneTimeToken.Purpose, subject: String = User.ID.random().description, at now: Date = Instants.now
    ) async throws -> OneTimeToken {
        let token = OneTimeToken.make(purpose, subject: subject, email: "anna@example.org", at: now).token
        try await insert(token)
        return token
    }

    /// Whether the token is stored, expired or not.
    func has(_ token: OneTimeToken) async throws -> Bool {
        try await read { try $0.token(hash: token.hash, purpose: token.purpose, at: .distantPast) } == token
    }
}
