import Domain
import Foundation
import Storage
import TestSupport
import Testing

@testable import Services

/// Who may change a team's members and their roles.
@Suite struct TeamMemberServiceTests {
    @Test func `People are listed by name to members and admins`() async throws {
        try await Accounts.with { accounts in
            let people = try await TeamUsers(accounts)
            func names(by user: User) async throws -> [String] {
                try await accounts.teams.people(of: people.team.id, by: .user(user.id)).map(\.user.name)
            }
            for user in [people.lead, people.member, people.admin] {
                #expect(try await names(by: user) == ["guest", "lead", "Member"])
            }
            #expect(try await names(by: people.guest) == ["guest"])
            let refused = try await rejection { _ = try await names(by: people.stranger) }
            #expect(refused?.code == .notFound)
        }
    }

    @Test func `Pages of members show what the whole list shows`() async throws {
        try await Accounts.with { accounts in
            let people = try await TeamUsers(accounts)
            let team = people.team.id
            for user in [people.lead, people.member, people.admin] {
                let caller = Caller.user(user.id)
                let everyone = try await accounts.teams.people(of: team, by: caller)
                let first = try await accounts.teams.people(of: team, matching: " ", after: nil, limit: 2, by: caller)
                #expect(first.people == Array(everyone.prefix(2)))
                #expect(first.nextAfter == MemberPosition(everyone[1].user))
                let last = try await accounts.teams.people(
                    of: team, matching: "", after: first.nextAfter, limit: 2, by: caller)
                #expect(last.people == [everyone[2]] && last.nextAfter == nil)

                let ids = everyone.map(\.user.id).sorted()
                let one = try await accounts.teams.people(of: team, after: ids[0], limit: 1, by: caller)
                #expect(one.people.map(\.user.id) == [ids[1]] && one.nextAfter == ids[1])
                let rest = try await accounts.teams.people(of: team, after: one.nextAfter, by: caller)
                #expect(rest.people.map(\.user.id) == [ids[2]] && rest.nextAfter == nil)
            }
        }
    }

    @Test func `Pages show a guest only themselves, and a stranger nothing`() async throws {
        try await Accounts.with { accounts in
            let people = try await TeamUsers(accounts)
            let (team, guest) = (people.team.id, Caller.user(people.guest.id))
            for search in ["", "guest", "lead"] {
                let page = try await accounts.teams.people(
                    of: team, matching: search, after: nil, limit: 1, by: guest)
                #expect(page.people.map(\.user.name) == ["guest"] && page.nextAfter == nil)
            }
            let first = try await accounts.teams.people(of: team, after: nil, limit: 1, by: guest)
            #expect(first.people.map(\.user.name) == ["guest"] && first.nextAfter == nil)
            let last = try await accounts.teams.people(of: team, after: people.guest.id, by: guest)
            #expect(last.people.isEmpty)

            let stranger = Caller.user(people.stranger.id)
            let byName = try await rejection {
                _ = try await accounts.teams.people(of: team, matching: "", after: nil, by: stranger)
            }
            let byID = try await rejection { _ = try await accounts.teams.people(of: team, after: nil, by: stranger) }
            #expect(byName?.reason == .noSuchTeam && byID?.reason == .noSuchTeam)
        }
    }

    @Test func `Leads and admins change roles, and others do not`() async throws {
        try await Accounts.with { accounts in
            let people = try await TeamUsers(accounts)
            func attempt(by user: User, _ role: Membership.Role) async throws -> AppError? {
                try await rejection {
                    _ = try await accounts.teams.setRole(
                        role, of: people.guest.id, in: people.team.id, by: .user(user.id))
                }
            }
            #expect(try await attempt(by: people.lead, .lead) == nil)
            #expect(try await attempt(by: people.admin, .member) == nil)
            #expect(try await attempt(by: people.member, .lead)?.code == .forbidden)
            #expect(try await attempt(by: people.stranger, .lead)?.reason == .noSuchTeam)
            let nobody = try await rejection {
                _ = try await accounts.teams.setRole(
                    .lead, of: people.stranger.id, in: people.team.id, by: .user(people.lead.id))
            }
            #expect(nobody?.reason == .noSuchUser)
        }
    }

    @Test func `Nobody makes themselves a lead`() async throws {
        try await Accounts.with { accounts in
            let people = try await TeamUsers(accounts)
            _ = try await accounts.teams.addMember("Admin", to: people.team.id, by: .operator)
            let own = try await rejection {
                _ = try await accounts.teams.setRole(
                    .lead, of: people.admin.id, in: people.team.id, by: .user(people.admin.id))
            }
            #expect(own?.reason == .ownRole)
            // A member who leads already has nothing to request.
            let lead = Caller.user(people.lead.id)
            _ = try await accounts.teams.setRole(.lead, of: people.lead.id, in: people.team.id, by: lead)
        }
    }

    @Test func `A lead steps down or leaves only while there is another`() async throws {
        try await Accounts.with { accounts in
            let people = try await TeamUsers(accounts)
            let (team, lead) = (people.team.id, Caller.user(people.lead.id))
            for attempt in [
                { _ = try await accounts.teams.setRole(.member, of: people.lead.id, in: team, by: lead) },
                { try await accounts.teams.removeMember(people.lead.id, from: team, by: lead) },
                { _ = try await accounts.teams.removeMember("lead", from: team, by: .user(people.admin.id)) },
            ] as [() async throws -> Void] {
                #expect(try await rejection(of: attempt)?.reason == .onlyLead)
            }
            _ = try await accounts.teams.setRole(.lead, of: people.member.id, in: team, by: lead)
            try await accounts.teams.removeMember(people.lead.id, from: team, by: lead)
            let left = try await accounts.teams.people(of: team, by: .operator)
            #expect(left.map(\.user.name) == ["guest", "Member"])
        }
    }

    @Test func `A guest who leads manages nobody else`() async throws {
        try await Accounts.with { accounts in
            let people = try await TeamUsers(accounts)
            let guest = Caller.user(people.guest.id)
            _ = try await accounts.teams.setRole(
                .lead, of: people.guest.id, in: people.team.id, by: .user(people.lead.id))
            let error = try await rejection {
                try await accounts.teams.removeMember(people.member.id, from: people.team.id, by: guest)
            }
            #expect(error?.reason == .noSuchUser)
            try await accounts.teams.removeMember(people.guest.id, from: people.team.id, by: guest)
        }
    }

    @Test func `The operator removes the only lead`() async throws {
        try await Accounts.with { accounts in
            let people = try await TeamUsers(accounts)
            _ = try await accounts.teams.removeMember("lead", from: people.team.id, by: .operator)
            let left = try await accounts.teams.people(of: people.team.id, by: .operator)
            #expect(left.map(\.user.name) == ["guest", "Member"])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A lead cannot find out all names by renaming`(store: StoreUnderTest) async throws {
        try await store.withStores { stores in
            let accounts = try Accounts(stores: stores)
            let people = try await TeamUsers(accounts)
            _ = try await accounts.teams.add(name: "Red", by: .operator)
            func rename(_ name: String, by user: User) async throws -> AppError? {
                try await rejection {
                    _ = try await accounts.teams.change(people.team.id, name: name, by: .user(user.id))
                }
            }
            for _ in 0..<NameQuota.limit {
                #expect(try await rename("red", by: people.lead)?.reason == .nameTaken)
            }
            let refused = try await rename("red", by: people.lead)
            #expect(refused?.reason == .tooManyNames && refused?.retryAfter == 86_400)
            // The current name is not a change, and administrators may list all teams.
            #expect(try await rename("Blue", by: people.lead) == nil)
            #expect(try await rename("red", by: people.admin)?.reason == .nameTaken)
            accounts.clock.advance(by: NameQuota.window + 1)
            #expect(try await rename("Navy", by: people.lead) == nil)
        }
    }

    @Test func `Name and settings change together or not at all`() async throws {
        try await Accounts.with { accounts in
            let people = try await TeamUsers(accounts)
            _ = try await accounts.teams.add(name: "Red", by: .operator)
            let lead = Caller.user(people.lead.id)
            let changed = try await accounts.teams.change(
                people.team.id, name: " Navy ", settings: TeamSettingsChange(threshold: 2), by: lead)
            #expect(changed.name == "Navy" && changed.settings.threshold == 2)
            for (name, change) in [
                ("red", TeamSettingsChange(threshold: 3)), ("Teal", TeamSettingsChange(threshold: 1)),
                ("", TeamSettingsChange(threshold: 3)), ("Teal", TeamSettingsChange(threshold: 4)),
            ] {
                let error = try await rejection {
                    _ = try await accounts.teams.change(people.team.id, name: name, settings: change, by: lead)
                }
                #expect(error != nil)
            }
            let kept = try await accounts.stores.team(people.team.id)
            #expect(kept?.name == "Navy" && kept?.settings.threshold == 2)
        }
    }
}
