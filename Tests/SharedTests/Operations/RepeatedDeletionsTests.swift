import Crypto
import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

/// What a restore deletes again.
@Suite struct RepeatedDeletionsTests {
    private let clock = WallClock { TestTeam.firstMonday + TestTeam.day }

    private func apply(_ subjects: [Deletion.Subject], to stores: Stores) async throws -> RepeatedDeletions.Changes {
        let hashes = subjects.map { Deletion.hash(of: $0, secret: TestTeam.secret) }
        return try await RepeatedDeletions(stores: stores, secrets: TestTeam.secrets, clock: clock).apply(Set(hashes))
    }

    @Test(arguments: StoreUnderTest.all)
    func `Accounts, teams and pictures are deleted, and nothing else`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, gone) = (
                try await TestTeam.make(in: stores, members: 3), try await TestTeam.make(in: stores, members: 2)
            )
            let pictures = (0..<2).map { _ in ProfilePicture(uploadedAt: TestTeam.firstMonday) }
            for (member, picture) in zip(team.members.dropFirst(), pictures) {
                _ = try await stores.replacePicture(of: member.userID, by: picture, at: clock.now)
            }
            let changes = try await apply(
                [
                    .account(team.members[0].userID), .team(gone.team.id), .picture(pictures[0].id),
                    // Those that the backup does not have.
                    .account(.random()), .team(.random()), .picture(.random()),
                ], to: stores)
            #expect(changes.accounts == 1 && changes.teams == 1 && changes.pictures == 1)
            #expect(try await stores.user(team.members[0].userID) == nil)
            #expect(try await stores.session(team.members[0].sessionID) == nil)
            #expect(try await stores.members(of: team.team.id).count == 2)
            #expect(try await stores.team(team.team.id)?.memberCount == 2)
            #expect(try await stores.team(gone.team.id) == nil)
            let others = [team.members[1], team.members[2]] + gone.members
            let users = try await stores.read { try $0.users(others.map(\.userID)) }
            #expect(users.count == 4)
            #expect(users.compactMap(\.picture) == [pictures[1]])
            // The worker removes the rest, as after each deletion.
            let jobs = Set(try await stores.jobs.list(state: .ready, limit: 10).map(\.kind))
            #expect(jobs == [AccountTraces.jobKind, DeletedTeam.jobKind, PictureRemoval.jobKind])
            // A restore that is repeated does the same.
            let again = try await apply([.account(team.members[0].userID), .picture(pictures[0].id)], to: stores)
            #expect(again == RepeatedDeletions.Changes())
        }
    }

    /// They could be deleted, because at that time there was another lead and another administrator.
    @Test(arguments: StoreUnderTest.all)
    func `The last lead and the last admin are deleted too, and reported`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await TestTeam.make(in: stores, members: 2)
            let admin = User(
                name: try UserName("admin"), email: try EmailAddress("admin@example.org"), role: .admin)
            try await stores.insert(admin)
            try await stores.add(Membership(teamID: team.team.id, userID: admin.id, role: .lead))
            let changes = try await apply([.account(admin.id)], to: stores)
            #expect(changes.accounts == 1 && changes.hasNoAdmin)
            #expect(changes.teamsWithoutLead == [team.team.name])
            #expect(try await stores.user(admin.id) == nil)
        }
    }

    /// More than a page of accounts.
    @Test func `Nobody is overlooked in a large installation`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            var users: [User] = []
            for number in 0..<510 {
                let user = User(
                    name: try UserName("person-\(number)"), email: try EmailAddress("\(number)@example.org"))
                try await stores.insert(user)
                users.append(user)
            }
            let gone = users.indices.filter { $0.isMultiple(of: 3) }.map { users[$0] }
            #expect(try await apply(gone.map { .account($0.id) }, to: stores).accounts == gone.count)
            #expect(try await stores.read { try $0.users(gone.map(\.id)) }.isEmpty)
            let ids = users.map(\.id)
            #expect(try await stores.read { try $0.users(ids) }.count == ids.count - gone.count)
        }
    }
}
