import Domain
import Foundation
import Storage
import TestSupport
import Testing

@testable import Services

@Suite struct SessionTests {
    @Test func `A token identifies its user and session`() async throws {
        try await Accounts.with { accounts in
            let user = try await accounts.addUser()
            let logIn = try await accounts.logIn()
            let principal = try await accounts.authenticate(logIn.accessToken)
            #expect(principal.userID == user.id && principal.sessionID == logIn.sessionID)
            #expect(principal.tokenIssued == accounts.clock.now)
        }
    }

    @Test func `Logging out ends the token at once`() async throws {
        try await Accounts.with { accounts in
            try await accounts.addUser()
            let logIn = try await accounts.logIn()
            let other = try await accounts.logIn()
            let principal = try await accounts.authenticate(logIn.accessToken)
            try await accounts.logins.logOut(principal)
            #expect(try await accounts.refusalOfToken(logIn.accessToken) == .sessionEnded)
            _ = try await accounts.authenticate(other.accessToken)
        }
    }

    @Test func `Nothing stored about a session is finer than a day`() async throws {
        try await Accounts.with { accounts in
            let user = try await accounts.addUser()
            for lifetime in [SessionKind.rotating, .classic, .browser] {
                accounts.clock.advance(by: 1_234.5)
                let id = try await accounts.logIn(lifetime: lifetime).sessionID
                let session = try #require(try await accounts.stores.session(id))
                #expect(session.expires.timeIntervalSince1970.truncatingRemainder(dividingBy: 86_400) == 0)
                #expect(session.repeatUntil == nil)
            }
            #expect(try await accounts.stores.sessions(of: user.id, at: accounts.clock.now).count == 3)
        }
    }

    @Test func `A session ends with its own expiry, whatever the token says`() async throws {
        try await Accounts.with { accounts in
            let user = try await accounts.addUser()
            // A minute before midnight; sessions expire at the beginning of a day.
            accounts.clock.now = Session.beginningOfDay(notBefore: accounts.clock.now) - 60
            let session = Session(
                userID: user.id, device: "", expires: accounts.clock.now + 60,
                lastUsed: CalendarDay(instant: accounts.clock.now, in: .gmt))
            try await accounts.stores.insert(session)
            let token = try await accounts.logins.authenticator.issueToken(
                for: session, issued: accounts.clock.now, expires: accounts.clock.now + 900)
            _ = try await accounts.authenticate(token)
            accounts.clock.advance(by: 60)
            #expect(try await accounts.refusalOfToken(token) == .sessionEnded)
        }
    }

    @Test func `Use is noted by day, and not at all on routes about ballots`() async throws {
        try await Accounts.with { accounts in
            try await accounts.addUser()
            let logIn = try await accounts.logIn(lifetime: .classic)
            let first = CalendarDay(instant: accounts.clock.now, in: .gmt)
            accounts.clock.advance(by: 86_400)
            _ = try await accounts.logins.authenticator.authenticate(logIn.accessToken, touching: false)
            #expect(try await accounts.stores.session(logIn.sessionID)?.lastUsed == first)
            _ = try await accounts.logins.authenticator.authenticate(logIn.accessToken, touching: true)
            #expect(try await accounts.stores.session(logIn.sessionID)?.lastUsed == first.adding(days: 1))
        }
    }

    @Test func `A user sees and ends only their own sessions`() async throws {
        try await Accounts.with { accounts in
            try await accounts.addUser("Anna")
            try await accounts.addUser("Bert")
            let anna = try await accounts.authenticate(try await accounts.logIn("Anna").accessToken)
            let second = try await accounts.logIn("Anna")
            let bert = try await accounts.logIn("Bert")
            #expect(try await Set(accounts.logins.sessions(of: anna).map(\.id)) == [anna.sessionID, second.sessionID])
            let error = try await rejection { try await accounts.logins.endSession(bert.sessionID, by: anna) }
            #expect(error?.code == .notFound)
            try await accounts.logins.endSession(second.sessionID, by: anna)
            #expect(try await accounts.logins.sessions(of: anna).map(\.id) == [anna.sessionID])
        }
    }

    @Test func `Ending all sessions can keep the current one`() async throws {
        try await Accounts.with { accounts in
            try await accounts.addUser()
            let present = try await accounts.logIn()
            let other = try await accounts.logIn()
            _ = try await accounts.authenticate(other.accessToken)
            let principal = try await accounts.authenticate(present.accessToken)
            try await accounts.logins.endAll(principal, keepingPresent: true)
            _ = try await accounts.authenticate(present.accessToken)
            #expect(try await accounts.refusalOfToken(other.accessToken) == .sessionEnded)
            try await accounts.logins.endAll(principal)
            #expect(try await accounts.refusalOfToken(present.accessToken) != nil)
        }
    }
}

@Suite struct SessionCacheTests {
    private let now = Date(timeIntervalSince1970: 1_790_000_000)

    @Test func `A cache never exceeds its capacity and keeps the entries in use`() {
        let cache = BoundedCache<Int, Int>(capacity: 1_024)
        for number in 0..<100_000 {
            cache.store(number, for: number, validity: now..<(now + 5), unlessRemovedSince: cache.removals)
            #expect(cache.value(for: 0, at: now) == 0)
        }
        #expect(cache.count <= 1_024)
    }

    @Test func `A value is found only in the time it was stored for`() {
        let cache = BoundedCache<String, Int>(capacity: 10)
        cache.store(1, for: "a", validity: now..<(now + 5), unlessRemovedSince: 0)
        #expect(cache.value(for: "a", at: now) == 1)
        #expect(cache.value(for: "a", at: now + 5) == nil)
        #expect(cache.value(for: "a", at: now - 1) == nil)
    }

    @Test func `A value read before a removal is not stored after it`() {
        let cache = BoundedCache<String, Int>(capacity: 10)
        let removals = cache.removals
        cache.remove("a")
        cache.store(1, for: "a", validity: now..<(now + 5), unlessRemovedSince: removals)
        #expect(cache.value(for: "a", at: now) == nil)
    }
}
