import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

@Suite struct TeamStoreContract {
    @Test(arguments: StoreUnderTest.all)
    func `A team is found as inserted`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let calendar = try #require(SprintCalendar("cadence:2026-01-05:3"))
            let settings = TeamSettings(
                calendar: calendar, timeZone: "Europe/Vienna", threshold: 5, policy: .close, graceDays: 2,
                feedbackReaders: .leads, ballots: .sealed)
            let team = Team(name: "Red Team", settings: settings, shareTokenHash: Array(0..<32))
            try await stores.teams.insert(team)
            #expect(try await stores.teams.find(id: team.id) == team)
            #expect(try await stores.teams.find(name: "rED tEAM") == team)
            #expect(try await stores.teams.find(shareTokenHash: Array(0..<32)) == team)
            #expect(try await stores.teams.find(id: .random()) == nil)
            #expect(try await stores.teams.find(name: "Blue Team") == nil)
            #expect(try await stores.teams.find(shareTokenHash: Array(1..<33)) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Team names are unique in any case and listed in pages`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            for name in ["red", "Blue", "GREEN"] {
                _ = try await stores.makeTeam(name)
            }
            await expectRejection(.conflict, reason: .nameTaken) { _ = try await stores.makeTeam("RED") }
            let teams = stores.teams
            #expect(try await teams.list(matching: nil, after: nil, limit: 2).map(\.name) == ["Blue", "GREEN"])
            #expect(try await teams.list(matching: nil, after: "green", limit: 2).map(\.name) == ["red"])
            // Paging by id misses no team that is renamed meanwhile.
            let all = try await teams.list(after: nil, limit: 10)
            #expect(all.map(\.id) == all.map(\.id).sorted() && all.count == 3)
            #expect(try await teams.list(after: all[0].id, limit: 1) == [all[1]])
            #expect(try await teams.list(after: all[2].id, limit: 1).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Settings are replaced`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let settings = TeamSettings(timeZone: "Asia/Tokyo", threshold: 4, policy: .immediate, graceDays: 7)
            try await stores.teams.updateSettings(id: team.id, settings)
            #expect(try await stores.current(team).settings == settings)
            await expectRejection(.notFound, reason: .noSuchTeam) {
                try await stores.teams.updateSettings(id: .random(), settings)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Only a raised threshold applies to open sprints at once, not a lowered one`(
        kind: StoreUnderTest
    ) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let voters = try await stores.makeVoters(2, in: team)
            let other = try await stores.makeTeam()
            let closed = try await stores.makeSprint(of: team)
            _ = try await stores.ballots.close(closed.key)
            let open = try await stores.makeSprint(
                of: team, start: closed.end, label: SprintLabel(year: 2026, number: 2))
            let foreign = try await stores.makeSprint(of: other)

            let number = try await stores.teams.publicationNumber(of: team.id)
            try await stores.teams.updateSettings(id: team.id, TeamSettings(threshold: 5))
            // Cached results contain the threshold too.
            #expect(try await stores.teams.publicationNumber(of: team.id) != number)
            #expect(try await stores.record(of: open).sprint.threshold == 5)
            #expect(try await stores.record(of: closed).sprint.threshold == 3)
            #expect(try await stores.record(of: foreign).sprint.threshold == 3)

            // Those who have voted since were promised the higher one.
            _ = try await stores.cast([try voters[0].ballot(in: open)])
            try await stores.teams.updateSettings(id: team.id, TeamSettings(threshold: 2))
            #expect(try await stores.record(of: open).sprint.threshold == 5)
            #expect(try await stores.current(team).settings.threshold == 2)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A raise is undone once while nobody has voted since`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let voter = try await stores.makeVoters(1, in: team)[0]
            let sprint = try await stores.makeSprint(of: team)
            func threshold(after setting: Int) async throws -> Int {
                try await stores.teams.updateSettings(id: team.id, TeamSettings(threshold: setting))
                return try await stores.record(of: sprint).sprint.threshold
            }
            _ = try await stores.cast([try voter.ballot(in: sprint)])
            #expect(try await threshold(after: 12) == 12)
            #expect(try await threshold(after: 15) == 15)
            // A lower one than at the start only applies to the next sprint, as always.
            #expect(try await threshold(after: 2) == 3)
            #expect(try await threshold(after: 12) == 12)
            #expect(try await threshold(after: 3) == 12, "a second time would reveal again whether anyone has voted")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Sharing under a new token ends the old one`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let (old, new): ([UInt8], [UInt8]) = (Array(0..<32), Array(32..<64))
            try await stores.teams.setShareTokenHash(id: team.id, old)
            try await stores.teams.setShareTokenHash(id: team.id, new)
            #expect(try await stores.teams.find(shareTokenHash: old) == nil)
            #expect(try await stores.teams.find(shareTokenHash: new)?.id == team.id)
            try await stores.teams.setShareTokenHash(id: team.id, nil)
            #expect(try await stores.teams.find(shareTokenHash: new) == nil)
            await expectRejection(.notFound, reason: .noSuchTeam) {
                try await stores.teams.setShareTokenHash(id: .random(), nil)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The first team becomes the default, and another one when it is left`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let (first, second) = (try await stores.makeTeam(), try await stores.makeTeam())
            func defaultTeam() async throws -> Team.ID? { try await stores.users.find(id: user.id)?.defaultTeamID }

            try await stores.teams.add(Membership(teamID: first.id, userID: user.id))
            try await stores.teams.add(Membership(teamID: second.id, userID: user.id, role: .lead))
            #expect(try await defaultTeam() == first.id)
            try await stores.teams.remove(userID: user.id, from: first.id)
            #expect(try await defaultTeam() == second.id)
            try await stores.teams.remove(userID: user.id, from: second.id)
            #expect(try await defaultTeam() == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The next default team is the first by name`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let names = ["Zebra", "cow", "ant", "Bee", "dog", "Elk"]
            for name in names {
                let team = try await stores.makeTeam(name)
                try await stores.teams.add(Membership(teamID: team.id, userID: user.id))
            }
            var defaults: [String] = []
            while let id = try await stores.users.find(id: user.id)?.defaultTeamID {
                defaults.append(try #require(try await stores.teams.find(id: id)).name)
                try await stores.teams.remove(userID: user.id, from: id)
            }
            #expect(defaults == ["Zebra", "ant", "Bee", "cow", "dog", "Elk"])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Removing from another team keeps the default`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let (first, second) = (try await stores.makeTeam(), try await stores.makeTeam())
            try await stores.teams.add(Membership(teamID: first.id, userID: user.id))
            try await stores.teams.add(Membership(teamID: second.id, userID: user.id))
            try await stores.teams.remove(userID: user.id, from: second.id)
            #expect(try await stores.users.find(id: user.id)?.defaultTeamID == first.id)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A refused membership is not counted`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, user) = (try await stores.makeTeam(), try await stores.makeUser())
            try await stores.teams.add(Membership(teamID: team.id, userID: user.id))
            await expectRejection(.conflict, reason: .alreadyAMember) {
                try await stores.teams.add(Membership(teamID: team.id, userID: user.id, role: .lead))
            }
            await expectRejection(.notFound, reason: .noSuchUser) {
                try await stores.teams.add(Membership(teamID: team.id, userID: .random()))
            }
            await expectRejection(.notFound, reason: .noSuchTeam) {
                try await stores.teams.add(Membership(teamID: .random(), userID: user.id))
            }
            await expectRejection(.notFound, reason: .noSuchUser) {
                try await stores.teams.remove(userID: .random(), from: team.id)
            }
            #expect(try await stores.current(team).memberCount == 1)
            #expect(try await stores.teams.membership(of: user.id, in: team.id)?.role == .member)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The member count survives concurrent joins and leaves`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let voters = try await stores.makeVoters(20, in: team)
            _ = try await concurrently(40) { number in
                if number < 20 {
                    try await stores.teams.remove(userID: voters[number].user.id, from: team.id)
                } else {
                    let user = try await stores.makeUser()
                    try await stores.teams.add(Membership(teamID: team.id, userID: user.id))
                }
            }
            #expect(try await stores.current(team).memberCount == 20)
            #expect(try await stores.teams.members(of: team.id).count == 20)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Memberships are listed from both sides`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let (zebra, ant) = (try await stores.makeTeam("Zebra"), try await stores.makeTeam("ant"))
            try await stores.teams.add(Membership(teamID: zebra.id, userID: user.id, role: .lead))
            try await stores.teams.add(Membership(teamID: ant.id, userID: user.id))
            let others = try await stores.makeVoters(3, in: zebra).map(\.user.id)

            let teams = try await stores.teams.teams(of: user.id)
            #expect(teams.map(\.team.name) == ["ant", "Zebra"])
            #expect(teams.map(\.role) == [.member, .lead])
            #expect(try await stores.teams.members(of: zebra.id).map(\.userID) == (others + [user.id]).sorted())
            #expect(try await stores.teams.members(of: .random()).isEmpty)
            #expect(try await stores.teams.membership(of: others[0], in: ant.id) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The publication number is read by itself`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            #expect(try await stores.teams.publicationNumber(of: team.id) == 0)
            _ = try await stores.makeSprint(of: team)
            #expect(try await stores.teams.publicationNumber(of: team.id) == 1)
            #expect(try await stores.teams.publicationNumber(of: .random()) == nil)
        }
    }
}
