import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// Names and roles, and that a team keeps a lead.
@Suite struct TeamRoleContract {
    private func makeTeam(in stores: Stores, leads: Int, members: Int) async throws -> (Team, [User.ID]) {
        let team = try await stores.makeTeam()
        var people: [User.ID] = []
        for number in 0..<(leads + members) {
            let user = try await stores.makeUser()
            try await stores.add(Membership(teamID: team.id, userID: user.id, role: number < leads ? .lead : .member))
            people.append(user.id)
        }
        return (team, people)
    }

    @Test(arguments: StoreUnderTest.all)
    func `A team is renamed unless another has the name`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam("Blue")
            _ = try await stores.makeTeam("Red")
            try await stores.update(id: team.id, name: "BLUE", settings: TeamSettings(threshold: 4))
            #expect(try await stores.read { try $0.team(name: "blue") }?.name == "BLUE")
            await expectRejection(.conflict, reason: .nameTaken) {
                try await stores.update(id: team.id, name: "red", settings: TeamSettings(threshold: 9))
            }
            let kept = try await stores.current(team)
            #expect(kept.name == "BLUE" && kept.settings.threshold == 4)
            try await stores.update(id: team.id, name: "Green", settings: kept.settings)
            #expect(try await stores.read { try $0.team(name: "BLUE") } == nil)
            await expectRejection(.notFound, reason: .noSuchTeam) {
                try await stores.update(id: .random(), name: "White", settings: TeamSettings())
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Roles change, and the only lead stays one`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, people) = try await makeTeam(in: stores, leads: 1, members: 1)
            await expectRejection(.conflict, reason: .onlyLead) {
                try await stores.transaction { [people] rows in
                    try rows.setRole(.member, insteadOf: .lead, of: people[0], in: team.id, by: .operator)
                }
            }
            #expect(try await stores.membership(of: people[0], in: team.id)?.role == .lead)
            try await stores.transaction { [people] rows in
                try rows.setRole(.lead, insteadOf: .member, of: people[1], in: team.id, by: .user(people[0]))
            }
            try await stores.transaction { [people] rows in
                try rows.setRole(.member, insteadOf: .lead, of: people[0], in: team.id, by: .user(people[1]))
            }
            #expect(try await stores.membership(of: people[0], in: team.id)?.role == .member)
            #expect(try await stores.membership(of: people[1], in: team.id)?.role == .lead)
            #expect(try await stores.current(team).memberCount == 2)
            await expectRejection(.notFound, reason: .noSuchUser) {
                try await stores.transaction {
                    try $0.setRole(.lead, insteadOf: .member, of: .random(), in: team.id, by: .operator)
                }
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A role is changed only from the expected one, and by a manager of the team`(
        kind: StoreUnderTest
    ) async throws {
        try await kind.withStores { stores in
            let (team, people) = try await makeTeam(in: stores, leads: 1, members: 2)
            let admin = try await stores.makeUser()
            let disabled = try await stores.makeUser()
            try await stores.update(id: admin.id, UserUpdate(role: .admin))
            try await stores.update(id: disabled.id, UserUpdate(isDisabled: true, role: .admin))
            let attempts: [(old: Membership.Role, caller: Caller)] = [
                (.lead, .operator), (.member, .user(people[1])), (.member, .user(people[2])),
                (.member, .user(disabled.id)), (.member, .user(.random())),
            ]
            for (old, caller) in attempts {
                await expectRejection(.conflict, reason: .changedMeanwhile) {
                    try await stores.transaction { [people] rows in
                        try rows.setRole(.lead, insteadOf: old, of: people[1], in: team.id, by: caller)
                    }
                }
            }
            #expect(try await stores.membership(of: people[1], in: team.id)?.role == .member)
            try await stores.transaction { [people] rows in
                try rows.setRole(.lead, insteadOf: .member, of: people[1], in: team.id, by: .user(admin.id))
            }
            #expect(try await stores.membership(of: people[1], in: team.id)?.role == .lead)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Only a manager of the team removes another member`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, people) = try await makeTeam(in: stores, leads: 1, members: 3)
            for caller in [people[1], .random()] {
                await expectRejection(.conflict, reason: .changedMeanwhile) {
                    try await stores.remove(userID: people[2], from: team.id, by: .user(caller))
                }
            }
            #expect(try await stores.membership(of: people[2], in: team.id) != nil)
            #expect(try await stores.current(team).memberCount == 4)
            try await stores.remove(userID: people[2], from: team.id, by: .user(people[0]))
            try await stores.remove(userID: people[3], from: team.id, by: .user(people[3]))
            #expect(try await stores.current(team).memberCount == 2)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The only lead leaves last`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, people) = try await makeTeam(in: stores, leads: 1, members: 2)
            await expectRejection(.conflict, reason: .onlyLead) {
                try await stores.remove(userID: people[0], from: team.id, by: .user(people[0]))
            }
            #expect(try await stores.current(team).memberCount == 3)
            #expect(try await stores.user(people[0])?.defaultTeamID == team.id)
            try await stores.remove(userID: people[1], from: team.id, by: .user(people[1]))
            try await stores.remove(userID: people[2], from: team.id, by: .user(people[2]))
            try await stores.remove(userID: people[0], from: team.id, by: .user(people[0]))
            #expect(try await stores.current(team).memberCount == 0)

            let (other, others) = try await makeTeam(in: stores, leads: 1, members: 1)
            try await stores.remove(userID: others[0], from: other.id, by: .operator)
            // The team has no lead already: that keeps no one from leaving.
            try await stores.remove(userID: others[1], from: other.id, by: .user(others[1]))
            #expect(try await stores.current(other).memberCount == 0)
        }
    }

    /// Data that gives a team a history.
    enum Trace: CaseIterable {
        case nothing, anOpenSprint, aSprintClosedWithoutMembers
        case aSprintClosedWithMembers, anImportedSprint, aBallot, anAction

        var isPast: Bool {
            switch self {
            case .nothing, .anOpenSprint, .aSprintClosedWithoutMembers: false
            case .aSprintClosedWithMembers, .anImportedSprint, .aBallot, .anAction: true
            }
        }
    }

    private func leave(_ trace: Trace, in team: Team, _ stores: Stores) async throws {
        func close(eligible: Int?) async throws {
            var state = PublicationState.initial
            state.close(policy: .live, threshold: 3)
            try await stores.importSprints([
                SprintRecord(sprint: .fortnight(of: team.id), state: state, eligible: eligible)
            ])
        }
        switch trace {
        case .nothing: break
        case .anOpenSprint: _ = try await stores.makeSprint(of: team)
        case .aSprintClosedWithoutMembers: try await close(eligible: 0)
        case .aSprintClosedWithMembers: try await close(eligible: 2)
        case .anImportedSprint: try await close(eligible: nil)
        case .aBallot:
            let sprint = try await stores.makeSprint(of: team)
            let voter = try await stores.makeVoters(1, in: team)[0]
            #expect(try await stores.cast([try voter.ballot(in: sprint)]).map(\.isCounted) == [true])
            try await stores.remove(userID: voter.user.id, from: team.id)
        case .anAction:
            let made = ActionSprint(start: Instants.start, label: SprintLabel(year: 2026, number: 1))
            try await stores.insert(
                Action(teamID: team.id, content: ActionContent(title: "Tea"), made: made), at: .last)
        }
    }

    @Test(arguments: StoreUnderTest.all, Trace.allCases)
    func `The only lead stays, even when alone and whatever the team's past`(
        kind: StoreUnderTest, trace: Trace
    ) async throws {
        try await kind.withStores { stores in
            let (team, people) = try await makeTeam(in: stores, leads: 1, members: 0)
            let (other, _) = try await makeTeam(in: stores, leads: 1, members: 0)
            try await leave(trace, in: team, stores)
            #expect(try await stores.read { try $0.hasPast(team.id) } == trace.isPast)
            #expect(try await !stores.read { try $0.hasPast(other.id) })
            let admin = try await stores.makeUser()
            try await stores.update(id: admin.id, UserUpdate(role: .admin))
            func remove(by caller: Caller) async throws {
                try await stores.remove(userID: people[0], from: team.id, by: caller)
            }
            await expectRejection(.conflict, reason: .onlyLead) { try await remove(by: .user(admin.id)) }
            #expect(try await stores.current(team).memberCount == 1)
            try await remove(by: .user(people[0]))
            #expect(try await stores.current(team).memberCount == 0)
            #expect(try await stores.read { try $0.hasPast(team.id) } == trace.isPast)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of two leads who leave at once, one stays`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            for _ in 0..<5 {
                let (team, people) = try await makeTeam(in: stores, leads: 2, members: 1)
                let refusals = try await concurrently(2) { number in
                    do {
                        if number == 0 {
                            try await stores.transaction { [people] rows in
                                try rows.setRole(.member, insteadOf: .lead, of: people[0], in: team.id, by: .operator)
                            }
                        } else {
                            try await stores.remove(userID: people[1], from: team.id, by: .user(people[1]))
                        }
                        return false
                    } catch let error as AppError where error.reason == .onlyLead {
                        return true
                    }
                }
                #expect(refusals.count { $0 } == 1)
                let leads = try await stores.members(of: team.id).filter { $0.role == .lead }
                #expect(leads.count == 1)
            }
        }
    }
}
