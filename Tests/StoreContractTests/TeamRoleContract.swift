import Foundation
import Shared
import TestSupport
import Testing

/// Names, roles, and the lead a team keeps.
@Suite struct TeamRoleContract {
    private func makeTeam(in stores: Stores, leads: Int, members: Int) async throws -> (Team, [User.ID]) {
        let team = try await stores.makeTeam()
        var people: [User.ID] = []
        for number in 0..<(leads + members) {
            let user = try await stores.makeUser()
            try await stores.teams.add(
                Membership(teamID: team.id, userID: user.id, role: number < leads ? .lead : .member))
            people.append(user.id)
        }
        return (team, people)
    }

    @Test(arguments: StoreUnderTest.all)
    func aTeamIsRenamedUnlessAnotherHasTheName(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam("Blue")
            _ = try await stores.makeTeam("Red")
            try await stores.teams.update(id: team.id, name: "BLUE", settings: TeamSettings(threshold: 4))
            #expect(try await stores.teams.find(name: "blue")?.name == "BLUE")
            await expectRefusal(.conflict, reason: "name-taken") {
                try await stores.teams.update(id: team.id, name: "red", settings: TeamSettings(threshold: 9))
            }
            let kept = try await stores.current(team)
            #expect(kept.name == "BLUE" && kept.settings.threshold == 4)
            try await stores.teams.update(id: team.id, name: "Green", settings: kept.settings)
            #expect(try await stores.teams.find(name: "BLUE") == nil)
            await expectRefusal(.notFound) {
                try await stores.teams.update(id: .random(), name: "White", settings: TeamSettings())
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func rolesChangeAndTheOnlyLeadStaysOne(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, people) = try await makeTeam(in: stores, leads: 1, members: 1)
            await expectRefusal(.conflict, reason: "only-lead") {
                try await stores.teams.setRole(.member, of: people[0], in: team.id)
            }
            #expect(try await stores.teams.membership(of: people[0], in: team.id)?.role == .lead)
            try await stores.teams.setRole(.lead, of: people[1], in: team.id)
            try await stores.teams.setRole(.member, of: people[0], in: team.id)
            #expect(try await stores.teams.membership(of: people[0], in: team.id)?.role == .member)
            #expect(try await stores.teams.membership(of: people[1], in: team.id)?.role == .lead)
            #expect(try await stores.current(team).memberCount == 2)
            await expectRefusal(.notFound) {
                try await stores.teams.setRole(.lead, of: .random(), in: team.id)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func theOnlyLeadGoesLastOrWhenNobodyMinds(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, people) = try await makeTeam(in: stores, leads: 1, members: 2)
            await expectRefusal(.conflict, reason: "only-lead") {
                try await stores.teams.remove(userID: people[0], from: team.id, keepingALead: true)
            }
            #expect(try await stores.current(team).memberCount == 3)
            #expect(try await stores.users.find(id: people[0])?.defaultTeamID == team.id)
            try await stores.teams.remove(userID: people[1], from: team.id, keepingALead: true)
            try await stores.teams.remove(userID: people[2], from: team.id, keepingALead: true)
            try await stores.teams.remove(userID: people[0], from: team.id, keepingALead: true)
            #expect(try await stores.current(team).memberCount == 0)

            let (other, others) = try await makeTeam(in: stores, leads: 1, members: 1)
            try await stores.teams.remove(userID: others[0], from: other.id, keepingALead: false)
            // Without a lead already: nobody is kept for that.
            try await stores.teams.remove(userID: others[1], from: other.id, keepingALead: true)
            #expect(try await stores.current(other).memberCount == 0)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func ofTwoLeadsWhoGoAtOnceOneStays(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            for _ in 0..<5 {
                let (team, people) = try await makeTeam(in: stores, leads: 2, members: 1)
                let refusals = try await concurrently(2) { number in
                    do {
                        if number == 0 {
                            try await stores.teams.setRole(.member, of: people[0], in: team.id)
                        } else {
                            try await stores.teams.remove(userID: people[1], from: team.id, keepingALead: true)
                        }
                        return false
                    } catch let error as AppError where error.reason == "only-lead" {
                        return true
                    }
                }
                #expect(refusals.count { $0 } == 1)
                let leads = try await stores.teams.members(of: team.id).filter { $0.role == .lead }
                #expect(leads.count == 1)
            }
        }
    }
}
