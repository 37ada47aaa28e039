import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// What a store counts as a revocation, and what it reads of people who send requests.
@Suite struct RevocationContract {
    /// A user in a team, with a session.
    private struct Person {
        let stores: Stores
        let user: User
        let session: Session
        let team: Team

        init(_ stores: Stores) async throws {
            self.stores = stores
            team = try await stores.makeTeam()
            let voter = try await stores.makeVoters(1, in: team)[0]
            (user, session) = (voter.user, voter.session)
            _ = try await stores.makeVoters(1, in: team)
        }

        /// By how much the number of the user's slot grows.
        func counted(_ body: () async throws -> Void) async throws -> Int {
            let slot = RevocationSlot(of: user.id)
            let before = try await stores.read { try $0.revocations() }[slot] ?? 0
            try await body()
            return try await (stores.read { try $0.revocations() }[slot] ?? 0) - before
        }
    }

    /// A way of taking something away from a person.
    enum Revocation: CaseIterable, Sendable {
        case endOfSession, endOfAllSessions, endOfOldestSession, endOfExpiredSession, newPassword, disabling, deletion
        case removal, newRole, endOfTeam
    }

    @Test(arguments: StoreUnderTest.all, Revocation.allCases)
    func `What is taken away is counted`(kind: StoreUnderTest, revocation: Revocation) async throws {
        try await kind.withStores { stores in
            let person = try await Person(stores)
            let (userID, teamID) = (person.user.id, person.team.id)
            let counted = try await person.counted {
                switch revocation {
                case .endOfSession: try await stores.write { try $0.endSession(person.session.id) }
                case .endOfAllSessions: try await stores.transaction { try $0.endSessions(of: userID, except: nil) }
                case .endOfOldestSession:
                    for _ in 0..<Session.maximumPerUser { _ = try await stores.makeSession(of: person.user) }
                case .endOfExpiredSession:
                    try await stores.write { try $0.deleteExpiredSessions(before: person.session.expires + 1) }
                case .newPassword:
                    try await stores.update(id: userID, UserUpdate(passwordHash: "new", endsSessions: .all))
                case .disabling: try await stores.update(id: userID, UserUpdate(isDisabled: true))
                case .deletion: try await stores.delete(id: userID)
                case .removal: try await stores.remove(userID: userID, from: teamID)
                case .newRole:
                    try await stores.transaction {
                        try $0.setRole(.lead, insteadOf: .member, of: userID, in: teamID, by: .operator)
                    }
                case .endOfTeam: try await stores.delete(teamID, at: Instants.now)
                }
            }
            #expect(counted > 0)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `What people do every day is not counted`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let person = try await Person(stores)
            let sprint = try await stores.makeSprint(of: person.team)
            let day = try #require(CalendarDay("2026-01-09"))
            let counted = try await person.counted {
                let session = try await stores.makeSession(of: person.user)
                try await stores.write { try $0.touch([session.id], day: day) }
                _ = try await stores.write {
                    try $0.rotate(
                        session.id, from: 0, at: Instants.now, repeatUntil: Instants.now + 30,
                        expires: Instants.now + Instants.day)
                }
                let voter = Voter(user: person.user, session: session)
                _ = try await stores.cast([voter.ballot(in: sprint)])
                let other = try await stores.makeTeam()
                try await stores.add(Membership(teamID: other.id, userID: person.user.id))
            }
            #expect(counted == 0)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Nothing is counted if a removal is refused`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let person = try await Person(stores)
            let counted = try await person.counted {
                await expectRejection(.conflict, reason: .changedMeanwhile) {
                    try await stores.transaction {
                        try $0.setRole(.member, insteadOf: .lead, of: person.user.id, in: person.team.id, by: .operator)
                    }
                }
            }
            #expect(counted == 0)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Sessions and memberships are read together`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let person = try await Person(stores)
            let stranger = try await stores.makeStranger()
            let second = try await stores.makeTeam()
            let membership = Membership(teamID: second.id, userID: person.user.id, role: .lead)
            try await stores.add(membership)
            let found = try await stores.read {
                try $0.sessions(
                    [person.session.id, stranger.session.id, .random()],
                    membershipsOf: [person.user.id, stranger.user.id])
            }
            #expect(Set(found.sessions.map(\.id)) == [person.session.id, stranger.session.id])
            #expect(found.sessions.first { $0.id == person.session.id } == person.session)
            #expect(
                Set(found.memberships) == [Membership(teamID: person.team.id, userID: person.user.id), membership])
            let none = try await stores.read { try $0.sessions([.random()], membershipsOf: [stranger.user.id]) }
            #expect(none.sessions.isEmpty && none.memberships.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Sessions that end at once are all counted`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let sessions = try await Array(0..<12).asyncMap { _ in try await stores.makeSession(of: user) }
            let slot = RevocationSlot(of: user.id)
            let before = try await stores.read { try $0.revocations() }[slot] ?? 0
            try await withThrowingTaskGroup(of: Void.self) { group in
                for session in sessions { group.addTask { try await stores.write { try $0.endSession(session.id) } } }
                try await group.waitForAll()
            }
            #expect(try await stores.read { try $0.revocations() }[slot] ?? 0 == before + 12)
        }
    }
}
