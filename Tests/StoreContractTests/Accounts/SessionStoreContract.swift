import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

@Suite struct SessionStoreContract {
    @Test(arguments: StoreUnderTest.all)
    func `A session is found as inserted, even when expired`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let session = try await stores.makeSession(of: user, expires: Instants.now - 1)
            #expect(try await stores.session(session.id) == session)
            #expect(try await stores.session(.random()) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Unexpired sessions are listed by last use, then by ID`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            var sessions: [Session] = []
            for _ in 0..<4 {
                sessions.append(try await stores.makeSession(of: user))
            }
            _ = try await stores.makeSession(of: user, expires: Instants.now)
            _ = try await stores.makeStranger()
            let byID = sessions.map(\.id).sorted()
            try await stores.write { try $0.touch([byID[2]], day: try #require(CalendarDay("2026-01-09"))) }
            let listed = try await stores.sessions(of: user.id, at: Instants.now)
            #expect(listed.map(\.id) == [byID[2], byID[0], byID[1], byID[3]])
            #expect(listed.first?.lastUsed == CalendarDay("2026-01-09"))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A session of nobody is refused`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let nobody = User(name: try UserName("nobody"), email: try EmailAddress("nobody@example.org"))
            await expectRejection(.notFound, reason: .noSuchUser) { _ = try await stores.makeSession(of: nobody) }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `One session too many ends the one used longest ago`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let other = try await stores.makeStranger()
            let day = try #require(CalendarDay("2026-01-01"))
            var sessions: [Session] = []
            for number in 0..<Session.maximumPerUser {
                // The first session was last used neither on the first nor on the last day; the last two on the same
                // day.
                let used = day.adding(days: min((number + 7) % Session.maximumPerUser, Session.maximumPerUser - 2))
                let session = Session(
                    userID: user.id, device: "\(number)",
                    expires: Instants.now + TimeInterval(100 - number) * Instants.day, lastUsed: used)
                try await stores.insert(session)
                sessions.append(session)
            }
            #expect(try await stores.sessions(of: user.id, at: Instants.now).count == Session.maximumPerUser)
            for _ in 0..<2 {
                let begun = Session(
                    userID: user.id, device: "new", expires: Instants.now + Instants.day,
                    lastUsed: day.adding(days: 90))
                try await stores.insert(begun)
                sessions.append(begun)
                let oldest = try #require(sessions.min { ($0.lastUsed, $0.expires) < ($1.lastUsed, $1.expires) })
                sessions.removeAll { $0 == oldest }
                #expect(try await stores.session(oldest.id) == nil)
                #expect(
                    Set(try await stores.sessions(of: user.id, at: Instants.now).map(\.id))
                        == Set(sessions.map(\.id)))
            }
            #expect(try await stores.session(other.session.id) != nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `However many sessions begin at once, no more than allowed are left`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            for _ in 0..<Session.maximumPerUser - 2 { _ = try await stores.makeSession(of: user) }
            _ = try await concurrently(8) { _ in try await stores.makeSession(of: user).id }
            #expect(try await stores.sessions(of: user.id, at: Instants.now).count == Session.maximumPerUser)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many who rotate at once, one wins`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let session = try await stores.makeSession(of: user)
            let (now, expires) = (Instants.now + 5, Instants.now + 60 * Instants.day)
            let wins = try await concurrently(20) { _ in
                try await stores.write {
                    try $0.rotate(session.id, from: 0, at: now, repeatUntil: now + 30, expires: expires)
                }
            }
            #expect(wins.count(where: { $0 }) == 1)
            let rotated = try #require(try await stores.session(session.id))
            #expect(rotated.generation == 1)
            #expect(rotated.repeatUntil == now + 30)
            // The end of that day.
            #expect(rotated.expires == Instants.start + 63 * Instants.day && expires <= rotated.expires)
            func rotate(_ id: Session.ID, from generation: Int) async throws -> Bool {
                try await stores.write {
                    try $0.rotate(id, from: generation, at: now, repeatUntil: now + 30, expires: expires)
                }
            }
            #expect(try await rotate(session.id, from: 1))
            #expect(try await rotate(.random(), from: 0) == false)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The time of a refresh is removed once it cannot be repeated`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let sessions = try await [0, 1, 2].asyncMap { _ in try await stores.makeSession(of: user) }
            func rotate(_ number: Int, at now: Date) async throws {
                _ = try await stores.write { [sessions] rows in
                    try rows.rotate(
                        sessions[number].id, from: 0, at: now, repeatUntil: now + 30, expires: sessions[number].expires)
                }
            }
            func repeats() async throws -> [Date?] {
                try await sessions.asyncMap { try await stores.session($0.id)?.repeatUntil }
            }
            try await rotate(0, at: Instants.now)
            try await rotate(1, at: Instants.now + 30)
            #expect(try await repeats() == [Instants.now + 30, Instants.now + 60, nil])
            // The next refresh deletes them, and so does the worker.
            try await rotate(2, at: Instants.now + 31)
            #expect(try await repeats() == [nil, Instants.now + 60, Instants.now + 61])
            try await stores.write { try $0.deleteRepeats(at: Instants.now + 62) }
            #expect(try await repeats() == [nil, nil, nil])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Ending a session twice is no error`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let voter = try await stores.makeStranger()
            try await stores.write { try $0.endSession(voter.session.id) }
            try await stores.write { try $0.endSession(voter.session.id) }
            #expect(try await stores.session(voter.session.id) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Ending all sessions spares the named one and other people's`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let voter = try await stores.makeStranger()
            let other = try await stores.makeStranger()
            let second = try await stores.makeSession(of: voter.user)
            try await stores.transaction { try $0.endSessions(of: voter.user.id, except: second.id) }
            #expect(try await stores.sessions(of: voter.user.id, at: Instants.now).map(\.id) == [second.id])
            try await stores.transaction { try $0.endSessions(of: voter.user.id, except: nil) }
            #expect(try await stores.sessions(of: voter.user.id, at: Instants.now).isEmpty)
            #expect(try await stores.session(other.session.id) != nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Sessions that expired before an instant are deleted`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let expired = try await stores.makeSession(of: user, expires: Instants.now - 1)
            let kept = try await stores.makeSession(of: user, expires: Instants.now + 1)
            // At the end of that day the first one has expired, and the other one is about to.
            try await stores.write { try $0.deleteExpiredSessions(before: Instants.now + 1) }
            #expect(try await stores.session(expired.id) == nil)
            #expect(try await stores.session(kept.id) != nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Failed log-ins are counted per key until cleared`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (key, other) = (SecureBytes.random(count: 32), SecureBytes.random(count: 32))
            #expect(try await stores.read { try $0.loginFailures(key) } == nil)
            #expect(try await stores.write { try $0.recordLoginFailure(key, at: Instants.now) }.count == 1)
            let second = try await stores.write { try $0.recordLoginFailure(key, at: Instants.now + 1) }
            #expect(second == LoginFailures(count: 2, last: Instants.now + 1))
            #expect(try await stores.read { try $0.loginFailures(key) } == second)
            #expect(try await stores.read { try $0.loginFailures(other) } == nil)
            try await stores.write { try $0.deleteLoginFailures(key) }
            #expect(try await stores.read { try $0.loginFailures(key) } == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Concurrent failures are all counted`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let key = SecureBytes.random(count: 32)
            let counts = try await concurrently(50) { _ in
                try await stores.write { try $0.recordLoginFailure(key, at: Instants.now) }.count
            }
            #expect(counts.sorted() == Array(1...50))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An old count starts again at one`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let key = SecureBytes.random(count: 32)
            _ = try await stores.write { try $0.recordLoginFailure(key, at: Instants.now) }
            let withinMemory = Instants.now + LoginFailures.memory
            #expect(try await stores.write { try $0.recordLoginFailure(key, at: withinMemory) }.count == 2)
            let later = withinMemory + LoginFailures.memory + 1
            #expect(try await stores.write { try $0.recordLoginFailure(key, at: later) }.count == 1)
        }
    }
}
