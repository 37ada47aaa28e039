import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// Users who lose a right at the moment at which they use it. A third user keeps the right, so that no rule about the
/// last one applies.
@Suite struct LostRightTests {
    private static let rounds = 8

    private func withPeople(
        _ store: StoreUnderTest, _ body: (UserAdministrationService, OwnAccounts) async throws -> Void
    ) async throws {
        try await OwnAccounts.with(store) { own in
            try await body(try own.people(), own)
        }
    }

    /// These changes need no session that exists.
    private static func session(of id: User.ID) -> Principal { Principal(userID: id, sessionID: .random()) }

    /// Whether a change was rejected, by the store or before.
    private func isLost(_ error: AppError?) -> Bool {
        error?.reason == .changedMeanwhile || error?.code == .forbidden
    }

    @Test(arguments: StoreUnderTest.all, [UserChange(role: .member), UserChange(isDisabled: true)])
    func `Of two admins who take each other's rights, one succeeds`(
        store: StoreUnderTest, change: UserChange
    ) async throws {
        try await withPeople(store) { people, own in
            _ = try await own.accounts.addUser("Third", role: .admin)
            for round in 0..<Self.rounds {
                let one = try await own.accounts.addUser("one\(round)", role: .admin).id
                let other = try await own.accounts.addUser("other\(round)", role: .admin).id
                async let first = rejection {
                    _ = try await people.change(
                        other, change, password: Accounts.password, by: Self.session(of: one))
                }
                async let second = rejection {
                    _ = try await people.change(
                        one, change, password: Accounts.password, by: Self.session(of: other))
                }
                let refusals = try await [first, second].filter { $0 != nil }
                #expect(refusals.count == 1 && refusals.allSatisfy(isLost))
                let left = try await own.stores.read { try $0.users([one, other]) }.filter(\.isActiveAdmin)
                #expect(left.count == 1)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of two admins who delete each other, one succeeds`(store: StoreUnderTest) async throws {
        try await withPeople(store) { people, own in
            _ = try await own.accounts.addUser("Third", role: .admin)
            for round in 0..<Self.rounds {
                let one = try await own.accounts.addUser("one\(round)", role: .admin).id
                let other = try await own.accounts.addUser("other\(round)", role: .admin).id
                async let first = rejection { try await people.delete(other, by: .user(one)) }
                async let second = rejection { try await people.delete(one, by: .user(other)) }
                let refusals = try await [first, second].filter { $0 != nil }
                #expect(refusals.count == 1 && refusals.allSatisfy { $0?.code == .forbidden })
                #expect(try await own.stores.read { try $0.users([one, other]) }.count == 1)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A demoted admin cannot restore their own role`(store: StoreUnderTest) async throws {
        try await withPeople(store) { people, own in
            let admin = Self.session(of: try await own.accounts.addUser("Admin", role: .admin).id)
            for round in 0..<Self.rounds {
                let demoted = try await own.accounts.addUser("demoted\(round)", role: .admin).id
                async let demotion = rejection {
                    _ = try await people.change(
                        demoted, UserChange(role: .member), password: Accounts.password, by: admin)
                }
                async let writing = rejection {
                    let asIs = UserChange(role: .admin, isDisabled: false)
                    _ = try await people.change(
                        demoted, asIs, password: Accounts.password, by: Self.session(of: demoted))
                }
                let (refused, lost) = try await (demotion, writing)
                #expect(refused == nil)
                #expect(lost == nil || isLost(lost))
                #expect(try await own.stores.user(demoted)?.role == .member)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of two leads who demote each other, one succeeds`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let accounts = try Accounts(stores: stores)
            let people = try await TeamUsers(accounts)
            let (team, lead, member) = (people.team.id, people.lead.id, people.member.id)
            for id in [member, people.guest.id] {
                _ = try await accounts.teams.setRole(.lead, of: id, in: team, by: .operator)
            }
            for _ in 0..<Self.rounds {
                async let first = rejection {
                    _ = try await accounts.teams.setRole(.member, of: member, in: team, by: .user(lead))
                }
                async let second = rejection {
                    _ = try await accounts.teams.setRole(.member, of: lead, in: team, by: .user(member))
                }
                let refusals = try await [first, second].filter { $0 != nil }
                #expect(refusals.count == 1 && refusals.allSatisfy(isLost))
                for id in [lead, member] {
                    _ = try await accounts.teams.setRole(.lead, of: id, in: team, by: .operator)
                }
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of two leads who remove each other, one succeeds`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let accounts = try Accounts(stores: stores)
            let people = try await TeamUsers(accounts)
            let team = people.team.id
            for round in 0..<Self.rounds {
                var leads: [User.ID] = []
                for name in ["one\(round)", "other\(round)"] {
                    let user = try await accounts.addUser(name)
                    try await stores.add(Membership(teamID: team, userID: user.id, role: .lead))
                    leads.append(user.id)
                }
                let (one, other) = (leads[0], leads[1])
                async let first = rejection {
                    try await accounts.teams.removeMember(other, from: team, by: .user(one))
                }
                async let second = rejection {
                    try await accounts.teams.removeMember(one, from: team, by: .user(other))
                }
                let refusals = try await [first, second].filter { $0 != nil }
                // Not found: a user who was removed before can no longer see the team.
                #expect(refusals.count == 1 && refusals.allSatisfy { isLost($0) || $0?.code == .notFound })
                let left = try await stores.members(of: team).filter { leads.contains($0.userID) }
                #expect(left.count == 1)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A demoted lead cannot restore their own role`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let accounts = try Accounts(stores: stores)
            let people = try await TeamUsers(accounts)
            let (team, member) = (people.team.id, people.member.id)
            for _ in 0..<Self.rounds {
                _ = try await accounts.teams.setRole(.lead, of: member, in: team, by: .operator)
                async let demotion = rejection {
                    _ = try await accounts.teams.setRole(.member, of: member, in: team, by: .user(people.lead.id))
                }
                async let writing = rejection {
                    _ = try await accounts.teams.setRole(.lead, of: member, in: team, by: .user(member))
                }
                let (refused, lost) = try await (demotion, writing)
                #expect(refused == nil)
                #expect(lost == nil || lost?.reason == .ownRole || isLost(lost))
                #expect(try await accounts.stores.membership(of: member, in: team)?.role == .member)
            }
        }
    }
}
