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
                feedbackReaders: .leads, ballots: .sealed, actionAuthors: .leads)
            let team = Team(name: "Red Team", settings: settings, shareTokenHash: Array(0..<32))
            try await stores.insert(team)
            #expect(try await stores.team(team.id) == team)
            #expect(try await stores.read { try $0.team(name: "rED tEAM") } == team)
            #expect(try await stores.read { try $0.team(shareTokenHash: Array(0..<32)) } == team)
            #expect(try await stores.team(.random()) == nil)
            #expect(try await stores.read { try $0.team(name: "Blue Team") } == nil)
            #expect(try await stores.read { try $0.team(shareTokenHash: Array(1..<33)) } == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Team names are unique in any case and listed in pages`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            for name in ["red", "Blue", "GREEN"] {
                _ = try await stores.makeTeam(name)
            }
            await expectRejection(.conflict, reason: .nameTaken) { _ = try await stores.makeTeam("RED") }
            #expect(
                try await stores.read { try $0.teams(matching: nil, after: nil, limit: 2) }.map(\.name) == [
                    "Blue", "GREEN",
                ])
            #expect(
                try await stores.read { try $0.teams(matching: nil, after: "green", limit: 2) }.map(\.name) == ["red"])
            // Paging by id misses no team that is renamed meanwhile.
            let all = try await stores.read { try $0.teams(after: nil, limit: 10) }
            #expect(all.map(\.id) == all.map(\.id).sorted() && all.count == 3)
            #expect(try await stores.read { try $0.teams(after: all[0].id, limit: 1) } == [all[1]])
            #expect(try await stores.read { try $0.teams(after: all[2].id, limit: 1) }.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Settings are replaced`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let settings = TeamSettings(timeZone: "Asia/Tokyo", threshold: 4, policy: .immediate, graceDays: 7)
            try await stores.updateSettings(id: team.id, settings)
            #expect(try await stores.current(team).settings == settings)
            await expectRejection(.notFound, reason: .noSuchTeam) {
                try await stores.updateSettings(id: .random(), settings)
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

            let number = try await stores.publicationNumber(of: team.id)
            try await stores.updateSettings(id: team.id, TeamSettings(threshold: 5))
            // Cached results contain the threshold too.
            #expect(try await stores.publicationNumber(of: team.id) != number)
            #expect(try await stores.record(of: open).sprint.threshold == 5)
            #expect(try await stores.record(of: closed).sprint.threshold == 3)
            #expect(try await stores.record(of: foreign).sprint.threshold == 3)

            // Those who have voted since were promised the higher one.
            _ = try await stores.cast([try voters[0].ballot(in: open)])
            try await stores.updateSettings(id: team.id, TeamSettings(threshold: 2))
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
                try await stores.updateSettings(id: team.id, TeamSettings(threshold: setting))
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
            try await stores.transaction { try $0.setShareTokenHash(old, of: team.id) }
            try await stores.transaction { try $0.setShareTokenHash(new, of: team.id) }
            #expect(try await stores.read { try $0.team(shareTokenHash: old) } == nil)
            #expect(try await stores.read { try $0.team(shareTokenHash: new) }?.id == team.id)
            try await stores.transaction { try $0.setShareTokenHash(nil, of: team.id) }
            #expect(try await stores.read { try $0.team(shareTokenHash: new) } == nil)
            await expectRejection(.notFound, reason: .noSuchTeam) {
                try await stores.transaction { try $0.setShareTokenHash(nil, of: .random()) }
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The first team becomes the default, and another one when it is left`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let (first, second) = (try await stores.makeTeam(), try await stores.makeTeam())
            func defaultTeam() async throws -> Team.ID? { try await stores.user(user.id)?.defaultTeamID }

            try await stores.add(Membership(teamID: first.id, userID: user.id))
            try await stores.add(Membership(teamID: second.id, userID: user.id, role: .lead))
            #expect(try await defaultTeam() == first.id)
            try await stores.remove(userID: user.id, from: first.id)
            #expect(try await defaultTeam() == second.id)
            try await stores.remove(userID: user.id, from: second.id)
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
                try await stores.add(Membership(teamID: team.id, userID: user.id))
            }
            var defaults: [String] = []
            while let id = try await stores.user(user.id)?.defaultTeamID {
                defaults.append(try #require(try await stores.team(id)).name)
                try await stores.remove(userID: user.id, from: id)
            }
            #expect(defaults == ["Zebra", "ant", "Bee", "cow", "dog", "Elk"])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Removing from another team keeps the default`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let (first, second) = (try await stores.makeTeam(), try await stores.makeTeam())
            try await stores.add(Membership(teamID: first.id, userID: user.id))
            try await stores.add(Membership(teamID: second.id, userID: user.id))
            try await stores.remove(userID: user.id, from: second.id)
            #expect(try await stores.user(user.id)?.defaultTeamID == first.id)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A refused membership is not counted`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, user) = (try await stores.makeTeam(), try await stores.makeUser())
            try await stores.add(Membership(teamID: team.id, userID: user.id))
            await expectRejection(.conflict, reason: .alreadyAMember) {
                try await stores.add(Membership(teamID: team.id, userID: user.id, role: .lead))
            }
            await expectRejection(.notFound, reason: .noSuchUser) {
                try await stores.add(Membership(teamID: team.id, userID: .random()))
            }
            await expectRejection(.notFound, reason: .noSuchTeam) {
                try await stores.add(Membership(teamID: .random(), userID: user.id))
            }
            await expectRejection(.notFound, reason: .noSuchUser) {
                try await stores.remove(userID: .random(), from: team.id)
            }
            #expect(try await stores.current(team).memberCount == 1)
            #expect(try await stores.membership(of: user.id, in: team.id)?.role == .member)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The member count survives concurrent joins and leaves`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let voters = try await stores.makeVoters(20, in: team)
            _ = try await concurrently(40) { number in
                if number < 20 {
                    try await stores.remove(userID: voters[number].user.id, from: team.id)
                } else {
                    let user = try await stores.makeUser()
                    try await stores.add(Membership(teamID: team.id, userID: user.id))
                }
            }
            #expect(try await stores.current(team).memberCount == 20)
            #expect(try await stores.members(of: team.id).count == 20)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Memberships are listed from both sides`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let user = try await stores.makeUser()
            let (zebra, ant) = (try await stores.makeTeam("Zebra"), try await stores.makeTeam("ant"))
            try await stores.add(Membership(teamID: zebra.id, userID: user.id, role: .lead))
            try await stores.add(Membership(teamID: ant.id, userID: user.id))
            let others = try await stores.makeVoters(3, in: zebra).map(\.user.id)

            let teams = try await stores.read { try $0.teams(of: user.id) }
            #expect(teams.map(\.team.name) == ["ant", "Zebra"])
            #expect(teams.map(\.role) == [.member, .lead])
            #expect(try await stores.members(of: zebra.id).map(\.userID) == (others + [user.id]).sorted())
            #expect(try await stores.members(of: .random()).isEmpty)
            #expect(try await stores.membership(of: others[0], in: ant.id) == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The publication number is read by itself`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            #expect(try await stores.publicationNumber(of: team.id) == 0)
            _ = try await stores.makeSprint(of: team)
            #expect(try await stores.publicationNumber(of: team.id) == 1)
            #expect(try await stores.publicationNumber(of: .random()) == nil)
        }
    }
}
