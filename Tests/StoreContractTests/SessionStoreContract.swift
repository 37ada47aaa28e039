import Foundation
import TestSupport
import Testing

@testable import Shared

@Suite struct SessionStoreContract {
    @Test(arguments: StoreUnderTest.all)
    func aSessionIsFoundAsInsertedEvenWhenExpired(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let session = try await stores.makeSession(of: user, expires: Instants.now - 1)
            #expect(try await stores.sessions.find(id: session.id) == session)
            #expect(try await stores.sessions.find(id: .random()) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func unexpiredSessionsAreListedLastUsedFirstThenById(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            var sessions: [Session] = []
            for _ in 0..<4 {
                sessions.append(try await stores.makeSession(of: user))
            }
            _ = try await stores.makeSession(of: user, expires: Instants.now)
            _ = try await stores.makeStranger()
            let byID = sessions.map(\.id).sorted()
            try await stores.sessions.touch(id: byID[2], day: try #require(CalendarDay("2026-01-09")))
            let listed = try await stores.sessions.list(userID: user.id, at: Instants.now)
            #expect(listed.map(\.id) == [byID[2], byID[0], byID[1], byID[3]])
            #expect(listed.first?.lastUsed == CalendarDay("2026-01-09"))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func aSessionOfNobodyIsRefused(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let nobody = User(name: try UserName("nobody"), email: try EmailAddress("nobody@example.org"))
            await expectRefusal(.notFound) { _ = try await stores.makeSession(of: nobody) }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func oneSessionMoreThanAUserMayHaveEndsTheOneUsedLongestAgo(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let other = try await stores.makeStranger()
            let day = try #require(CalendarDay("2026-01-01"))
            var sessions: [Session] = []
            for number in 0..<Session.maximumPerUser {
                // Used on days of which the first one's is neither the first nor the last; the last two of them on one.
                let used = day.adding(days: min((number + 7) % Session.maximumPerUser, Session.maximumPerUser - 2))
                let session = Session(
                    userID: user.id, device: "\(number)", expires: Instants.now + Instants.day, lastUsed: used,
                    rotated: Instants.now - TimeInterval(number))
                try await stores.sessions.insert(session)
                sessions.append(session)
            }
            #expect(try await stores.sessions.list(userID: user.id, at: Instants.now).count == Session.maximumPerUser)
            for _ in 0..<2 {
                let begun = Session(
                    userID: user.id, device: "new", expires: Instants.now + Instants.day,
                    lastUsed: day.adding(days: 90), rotated: Instants.now)
                try await stores.sessions.insert(begun)
                sessions.append(begun)
                let oldest = try #require(sessions.min { ($0.lastUsed, $0.rotated) < ($1.lastUsed, $1.rotated) })
                sessions.removeAll { $0 == oldest }
                #expect(try await stores.sessions.find(id: oldest.id) == nil)
                #expect(
                    Set(try await stores.sessions.list(userID: user.id, at: Instants.now).map(\.id))
                        == Set(sessions.map(\.id)))
            }
            #expect(try await stores.sessions.find(id: other.session.id) != nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func sessionsThatHaveExpiredCostNoneThatStillCounts(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let day = try #require(CalendarDay("2026-01-01"))
            let seldomUsed = Session(
                userID: user.id, device: "seldom", expires: Instants.now + Instants.day, lastUsed: day,
                rotated: Instants.now - Instants.day)
            try await stores.sessions.insert(seldomUsed)
            for _ in 1..<Session.maximumPerUser {
                let expired = Session(
                    userID: user.id, device: "expired", expires: Instants.now, lastUsed: day.adding(days: 1),
                    rotated: Instants.now - 1)
                try await stores.sessions.insert(expired)
            }
            let begun = try await stores.makeSession(of: user)
            #expect(
                Set(try await stores.sessions.list(userID: user.id, at: Instants.now).map(\.id))
                    == [seldomUsed.id, begun.id])
            #expect(
                try await stores.sessions.list(userID: user.id, at: .distantPast).count == Session.maximumPerUser)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func howeverManySessionsBeginAtOnceNoMoreThanAllowedAreLeft(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            for _ in 0..<Session.maximumPerUser - 2 { _ = try await stores.makeSession(of: user) }
            _ = try await concurrently(8) { _ in try await stores.makeSession(of: user).id }
            #expect(try await stores.sessions.list(userID: user.id, at: Instants.now).count == Session.maximumPerUser)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func ofManyWhoRotateAtOnceOneWins(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let session = try await stores.makeSession(of: user)
            let (now, expires) = (Instants.now + 5, Instants.now + 60 * Instants.day)
            let wins = try await concurrently(20) { _ in
                try await stores.sessions.rotate(id: session.id, from: 0, at: now, expires: expires)
            }
            #expect(wins.count(where: { $0 }) == 1)
            let rotated = try #require(try await stores.sessions.find(id: session.id))
            #expect(rotated.generation == 1)
            #expect(rotated.rotated == now)
            #expect(rotated.expires == expires)
            #expect(try await stores.sessions.rotate(id: session.id, from: 1, at: now, expires: expires))
            #expect(try await stores.sessions.rotate(id: .random(), from: 0, at: now, expires: expires) == false)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func endingASessionTwiceIsNoError(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let voter = try await stores.makeStranger()
            try await stores.sessions.end(id: voter.session.id)
            try await stores.sessions.end(id: voter.session.id)
            #expect(try await stores.sessions.find(id: voter.session.id) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func endingAllSessionsSparesTheOneNamedAndOtherPeoples(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let voter = try await stores.makeStranger()
            let other = try await stores.makeStranger()
            let second = try await stores.makeSession(of: voter.user)
            try await stores.sessions.endAll(userID: voter.user.id, except: second.id)
            #expect(try await stores.sessions.list(userID: voter.user.id, at: Instants.now).map(\.id) == [second.id])
            try await stores.sessions.endAll(userID: voter.user.id, except: nil)
            #expect(try await stores.sessions.list(userID: voter.user.id, at: Instants.now).isEmpty)
            #expect(try await stores.sessions.find(id: other.session.id) != nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func sessionsThatExpiredBeforeAnInstantAreDeleted(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let expired = try await stores.makeSession(of: user, expires: Instants.now - 1)
            let kept = try await stores.makeSession(of: user, expires: Instants.now)
            try await stores.sessions.deleteExpired(before: Instants.now)
            #expect(try await stores.sessions.find(id: expired.id) == nil)
            #expect(try await stores.sessions.find(id: kept.id) != nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func failedLoginsAreCountedPerKeyUntilCleared(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (key, other) = (SecureBytes.random(count: 32), SecureBytes.random(count: 32))
            #expect(try await stores.sessions.failures(key: key) == nil)
            #expect(try await stores.sessions.recordFailure(key: key, at: Instants.now).count == 1)
            let second = try await stores.sessions.recordFailure(key: key, at: Instants.now + 1)
            #expect(second == LoginFailures(count: 2, last: Instants.now + 1))
            #expect(try await stores.sessions.failures(key: key) == second)
            #expect(try await stores.sessions.failures(key: other) == nil)
            try await stores.sessions.clearFailures(key: key)
            #expect(try await stores.sessions.failures(key: key) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func concurrentFailuresAreAllCounted(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let key = SecureBytes.random(count: 32)
            let counts = try await concurrently(50) { _ in
                try await stores.sessions.recordFailure(key: key, at: Instants.now).count
            }
            #expect(counts.sorted() == Array(1...50))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func anOldCountStartsAgainAtOne(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let key = SecureBytes.random(count: 32)
            _ = try await stores.sessions.recordFailure(key: key, at: Instants.now)
            let withinMemory = Instants.now + LoginThrottle.memory
            #expect(try await stores.sessions.recordFailure(key: key, at: withinMemory).count == 2)
            let later = withinMemory + LoginThrottle.memory + 1
            #expect(try await stores.sessions.recordFailure(key: key, at: later).count == 1)
        }
    }
}
