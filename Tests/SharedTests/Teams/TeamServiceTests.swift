import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

@Suite struct TeamServiceTests {
    @Test func `A team is added with its settings under a unique name`() async throws {
        try await Accounts.with { accounts in
            let change = TeamSettingsChange(timeZone: "Europe/Vienna", threshold: 4, policy: .close)
            let team = try await accounts.teams.add(name: " Blue ", settings: change, by: .operator)
            let stored = try #require(try await accounts.stores.team(team.id))
            #expect(stored.name == "Blue")
            #expect(stored.settings == TeamSettings(timeZone: "Europe/Vienna", threshold: 4, policy: .close))
            #expect(try await accounts.stores.reminderSettings(of: team.id) == .ofNewTeam)
            let error = try await rejection { _ = try await accounts.teams.add(name: "BLUE", by: .operator) }
            #expect(error?.reason == .nameTaken)
        }
    }

    @Test(arguments: [
        TeamSettingsChange(threshold: 1), TeamSettingsChange(threshold: 51), TeamSettingsChange(graceDays: 8),
        TeamSettingsChange(graceDays: -1), TeamSettingsChange(timeZone: "Europe/Nowhere"),
    ])
    func `Settings out of range are refused, and nothing changes`(change: TeamSettingsChange) async throws {
        try await Accounts.with { accounts in
            let team = try await accounts.teams.add(name: "Blue", by: .operator)
            let error = try await rejection {
                _ = try await accounts.teams.changeSettings(of: team.id, change, by: .operator)
            }
            #expect(error?.code == .unprocessable)
            #expect(try await accounts.stores.team(team.id)?.settings == TeamSettings())
            let added = try await rejection {
                _ = try await accounts.teams.add(name: "Red", settings: change, by: .operator)
            }
            #expect(added?.code == .unprocessable)
        }
    }

    @Test func `Leads and admins manage a team, and for strangers it does not exist`() async throws {
        try await Accounts.with { accounts in
            let people = try await TeamUsers(accounts)
            func attempt(by user: User) async throws -> AppError.Code? {
                try await rejection {
                    _ = try await accounts.teams.changeSettings(
                        of: people.team.id, TeamSettingsChange(threshold: 2), by: .user(user.id))
                    _ = try await accounts.teams.addMember("Stranger", to: people.team.id, by: .operator)
                    _ = try await accounts.teams.removeMember("Stranger", from: people.team.id, by: .user(user.id))
                }?.code
            }
            #expect(try await attempt(by: people.lead) == nil)
            #expect(try await attempt(by: people.admin) == nil)
            #expect(try await attempt(by: people.member) == .forbidden)
            #expect(try await attempt(by: people.guest) == .forbidden)
            #expect(try await attempt(by: people.stranger) == .notFound)
            let lead = Caller.user(people.lead.id)
            let adding = try await rejection { _ = try await accounts.teams.add(name: "Red", by: lead) }
            #expect(adding?.code == .forbidden)
            let listing = try await rejection { _ = try await accounts.teams.list(by: lead) }
            #expect(listing?.code == .forbidden)
        }
    }

    @Test func `Only the operator adds people without asking them`() async throws {
        try await Accounts.with { accounts in
            let people = try await TeamUsers(accounts)
            for (user, login) in [(people.lead, "Stranger"), (people.admin, "Stranger"), (people.admin, "Admin")] {
                let error = try await rejection {
                    _ = try await accounts.teams.addMember(login, role: .lead, to: people.team.id, by: .user(user.id))
                }
                #expect(error?.reason == .notAllowed)
            }
        }
    }

    @Test func `A guest sees nobody else`() async throws {
        try await Accounts.with { accounts in
            let people = try await TeamUsers(accounts)
            let teams = accounts.teams
            let seen = try await teams.members(of: people.team.id, by: .user(people.guest.id))
            #expect(seen.map(\.userID) == [people.guest.id])
            #expect(try await teams.members(of: people.team.id, by: .user(people.member.id)).count == 3)
            #expect(try await teams.members(of: people.team.id, by: .user(people.admin.id)).count == 3)
            let error = try await rejection {
                _ = try await teams.members(of: people.team.id, by: .user(people.stranger.id))
            }
            #expect(error?.code == .notFound)
        }
    }

    @Test func `Only a lead creates a share link, which is stored hashed`() async throws {
        try await Accounts.with { accounts in
            let people = try await TeamUsers(accounts)
            let token = try await accounts.teams.share(people.team.id, by: people.principal(people.lead))
            #expect([UInt8](base64URL: token)?.count == 32)
            #expect(try await accounts.teams.team(sharedUnder: token).id == people.team.id)
            let stored = try await accounts.stores.team(people.team.id)?.shareTokenHash
            #expect(stored == SecureBytes.sha256(Data(token.utf8)))
            let others: [(User, AppError.Code)] = [
                (people.admin, .notFound), (people.member, .forbidden), (people.stranger, .notFound),
            ]
            for (user, code) in others {
                let error = try await rejection {
                    _ = try await accounts.teams.share(people.team.id, by: people.principal(user))
                }
                #expect(error?.code == code)
            }
            let second = try await accounts.teams.share(people.team.id, by: people.principal(people.lead))
            #expect(try await rejection { _ = try await accounts.teams.team(sharedUnder: token) }?.code == .notFound)
            try await accounts.teams.unshare(people.team.id, by: people.principal(people.lead))
            #expect(try await rejection { _ = try await accounts.teams.team(sharedUnder: second) }?.code == .notFound)
        }
    }

    @Test func `A removal in this process takes effect at once`() async throws {
        try await Accounts.with { accounts in
            let people = try await TeamUsers(accounts)
            let revocations = RevocationFeed(store: accounts.stores.rows, clock: accounts.clock.wall)
            let cache = MembershipCache(
                store: accounts.stores.rows, revocations: revocations, clock: accounts.clock.wall)
            try await revocations.read()
            let teams = TeamService(stores: accounts.stores, secret: TestTeam.secret, memberships: cache)
            #expect(try await cache.membership(of: people.member.id, in: people.team.id) != nil)
            _ = try await teams.removeMember("member@example.org", from: people.team.id, by: .operator)
            #expect(try await cache.membership(of: people.member.id, in: people.team.id) == nil)
        }
    }

    @Test(arguments: ["", "   ", String(repeating: "x", count: 81), "two\nlines", "\u{202E}eulB"])
    func `A misleading name is refused`(name: String) {
        #expect(throws: AppError.self) { try TeamName(name) }
    }
}
