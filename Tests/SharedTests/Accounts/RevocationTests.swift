import Domain
import Foundation
import Storage
import TestSupport
import Testing

@testable import Services

/// Two processes over one store: `here` remembers who was seen, and `accounts` takes something away.
@Suite struct RevocationTests {
    private struct Here {
        let revocations: RevocationFeed
        let memberships: MembershipCache
        let logins: LoginService

        init(_ accounts: Accounts) throws {
            let clock = accounts.clock
            revocations = RevocationFeed(store: accounts.stores.rows, clock: clock.wall)
            memberships = MembershipCache(store: accounts.stores.rows, revocations: revocations, clock: clock.wall)
            logins = try Accounts.makeLogins(
                stores: accounts.stores, hasher: accounts.hasher, clock: clock, memberships: memberships)
        }

        func refusalOfToken(_ token: String) async throws -> AppError.Reason? {
            try await rejection { _ = try await logins.authenticator.authenticate(token, touching: true) }?.reason
        }
    }

    private func with(
        _ kind: StoreUnderTest, _ body: (_ here: Here, _ accounts: Accounts) async throws -> Void
    ) async throws {
        try await kind.withStores { stores in
            let accounts = try Accounts(stores: stores)
            try await body(try Here(accounts), accounts)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A log-out elsewhere takes effect with the next reading`(kind: StoreUnderTest) async throws {
        try await with(kind) { here, accounts in
            try await accounts.addUser()
            let token = try await accounts.logIn().accessToken
            let other = try await accounts.logIn().accessToken
            try await here.revocations.read()
            #expect(try await here.refusalOfToken(token) == nil)
            #expect(try await here.refusalOfToken(other) == nil)
            try await accounts.logins.logOut(try await accounts.authenticate(token))
            // Still remembered.
            #expect(try await here.refusalOfToken(token) == nil)
            try await here.revocations.read()
            #expect(try await here.refusalOfToken(token) == .sessionEnded)
            #expect(try await here.refusalOfToken(other) == nil)
        }
    }

    @Test func `Nothing is believed while the last reading is too old`() async throws {
        try await with(.sqlite) { here, accounts in
            try await accounts.addUser()
            let token = try await accounts.logIn().accessToken
            let other = try await accounts.logIn().accessToken
            // No reading yet: only what was read a moment ago counts.
            #expect(try await here.refusalOfToken(token) == nil)
            try await accounts.logins.logOut(try await accounts.authenticate(token))
            accounts.clock.advance(by: RevocationFeed.trust - 0.1)
            #expect(try await here.refusalOfToken(token) == nil)
            accounts.clock.advance(by: 0.1)
            #expect(try await here.refusalOfToken(token) == .sessionEnded)
            // No further reading, as while the store is away.
            try await here.revocations.read()
            #expect(try await here.refusalOfToken(other) == nil)
            try await accounts.logins.logOut(try await accounts.authenticate(other))
            accounts.clock.advance(by: RevocationFeed.trust - 0.1)
            #expect(try await here.refusalOfToken(other) == nil)
            accounts.clock.advance(by: 0.1)
            #expect(try await here.refusalOfToken(other) == .sessionEnded)
        }
    }

    @Test func `A clock that is set back makes nothing younger`() async throws {
        try await with(.sqlite) { here, accounts in
            try await accounts.addUser()
            let token = try await accounts.logIn().accessToken
            try await here.revocations.read()
            #expect(try await here.refusalOfToken(token) == nil)
            try await accounts.logins.logOut(try await accounts.authenticate(token))
            accounts.clock.advance(by: -1)
            #expect(try await here.refusalOfToken(token) == .sessionEnded)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A removed member reads nothing after the next reading`(kind: StoreUnderTest) async throws {
        try await with(kind) { here, accounts in
            let people = try await TeamUsers(accounts)
            try await here.revocations.read()
            let (member, team) = (people.member.id, people.team.id)
            #expect(try await here.memberships.membership(of: people.stranger.id, in: team) == nil)
            #expect(try await here.memberships.membership(of: member, in: team)?.role == .member)
            _ = try await accounts.teams.addMember("Stranger", to: team, by: .operator)
            // A missing membership is not remembered.
            #expect(try await here.memberships.membership(of: people.stranger.id, in: team) != nil)

            _ = try await accounts.teams.setRole(.lead, of: member, in: team, by: .operator)
            #expect(try await here.memberships.membership(of: member, in: team)?.role == .member)
            try await here.revocations.read()
            #expect(try await here.memberships.membership(of: member, in: team)?.role == .lead)

            _ = try await accounts.teams.removeMember("Member", from: team, by: .operator)
            #expect(try await here.memberships.membership(of: member, in: team) != nil)
            try await here.revocations.read()
            #expect(try await here.memberships.membership(of: member, in: team) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A first request reads the memberships too`(kind: StoreUnderTest) async throws {
        try await with(kind) { here, accounts in
            let people = try await TeamUsers(accounts)
            let token = try await accounts.logIn("Member").accessToken
            try await here.revocations.read()
            #expect(try await here.refusalOfToken(token) == nil)
            // Only remembered: the store no longer has it.
            try await accounts.stores.remove(userID: people.member.id, from: people.team.id)
            #expect(try await here.memberships.membership(of: people.member.id, in: people.team.id) != nil)
        }
    }

    @Test func `A session that another process extended is valid here`() async throws {
        try await with(.sqlite) { here, accounts in
            try await accounts.addUser()
            let first = try await accounts.logIn(lifetime: .rotating)
            try await here.revocations.read()
            #expect(try await here.refusalOfToken(first.accessToken) == nil)
            let end = try #require(try await accounts.stores.session(first.sessionID)).expires
            accounts.clock.now = end - 1
            try await here.revocations.read()
            let second = try await accounts.logins.refresh(try #require(first.refreshToken))
            #expect(try await here.refusalOfToken(second.accessToken) == nil)
            accounts.clock.now = end + 1
            try await here.revocations.read()
            #expect(try await here.refusalOfToken(second.accessToken) == nil)
        }
    }

    @Test(.timeLimit(.minutes(1))) func `The feed reads once a second`() async throws {
        try await with(.sqlite) { here, accounts in
            try await accounts.addUser()
            let token = try await accounts.logIn().accessToken
            let pace = ManualClock(start: accounts.clock.now)
            let feed = RevocationFeed(store: accounts.stores.rows, clock: accounts.clock.wall, pace: pace)
            let (changes, told) = AsyncStream.makeStream(of: Set<RevocationSlot>?.self)
            feed.add { told.yield($0) }
            let running = Task { try await feed.run() }
            var heard = changes.makeAsyncIterator()
            #expect(await heard.next() == .some(.none), "the first reading concerns everybody")
            let principal = try await accounts.authenticate(token)
            try await accounts.logins.logOut(principal)
            await pace.sleepers(atLeast: 1)
            pace.advance(by: RevocationFeed.interval)
            #expect(await heard.next() == [RevocationSlot(of: principal.userID)])
            running.cancel()
            try await running.value
        }
    }
}
