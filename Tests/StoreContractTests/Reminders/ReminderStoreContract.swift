import Foundation
import Mongo
import Services
import TestSupport
import Testing

@testable import Storage

/// The contract of both stores for reminder settings and absences.
@Suite struct ReminderStoreContract {
    // MARK: - Settings

    @Test(arguments: StoreUnderTest.all)
    func `A team without settings has the standard ones`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            #expect(try await stores.reminders.find(teamID: team.id) == ReminderSettings())
            #expect(try await stores.reminders.find(teamID: .random()) == ReminderSettings())
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Settings are replaced as a whole and belong to one team`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, other) = (try await stores.makeTeam(), try await stores.makeTeam())
            let first = ReminderSettings(
                isOn: false, timing: .end, hour: 17, remindsAgain: true,
                holidays: Set(try ["2026-12-24", "2000-01-01", "2100-12-31"].map { try #require(CalendarDay($0)) }),
                texts: [
                    .first: [
                        .german: ReminderText(title: "Hallo {team} 🎉", body: "'; DROP TABLE teams; -- \"$where\""),
                        .english: ReminderText(body: "Body alone"),
                    ],
                    .second: [.german: ReminderText(title: "Title alone")],
                ])
            try await stores.reminders.update(teamID: team.id, first)
            #expect(try await stores.reminders.find(teamID: team.id) == first)
            #expect(try await stores.reminders.find(teamID: other.id) == ReminderSettings())

            let second = ReminderSettings(hour: 0, texts: [.second: [.english: ReminderText(title: "New")]])
            try await stores.reminders.update(teamID: team.id, second)
            #expect(try await stores.reminders.find(teamID: team.id) == second)
            try await stores.reminders.update(teamID: team.id, ReminderSettings())
            #expect(try await stores.reminders.find(teamID: team.id) == ReminderSettings())
        }
    }

    @Test(.needsMongod) func `Reminders of an older MongoDB database stay at the start of the sprint`() async throws {
        let fixture = try await MongoFixture.make()
        let team = try await fixture.stores.makeTeam()
        try await fixture.stores.reminders.update(teamID: team.id, ReminderSettings(timing: .end, hour: 8))
        _ = try await fixture.client.run {
            try $0.collection("reminderSettings").updateOne(
                ["_id": .string(team.id.description)], ["$unset": ["timing": ""]])
        }
        #expect(try await fixture.stores.reminders.find(teamID: team.id) == ReminderSettings(hour: 8))
    }

    @Test(arguments: StoreUnderTest.all)
    func `A full calendar of holidays is kept`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let first = try #require(CalendarDay("2026-01-01"))
            let settings = ReminderSettings(
                holidays: Set((0..<ReminderSettings.maximumHolidays).map { first.adding(days: $0) }))
            try await stores.reminders.update(teamID: team.id, settings)
            #expect(try await stores.reminders.find(teamID: team.id) == settings)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Settings of a team that does not exist are refused`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            await expectRejection(.notFound, reason: .noSuchTeam) {
                try await stores.reminders.update(teamID: .random(), ReminderSettings())
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many who replace settings at once, one is kept as a whole`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let proposals = (0..<16).map { number in
                ReminderSettings(
                    hour: number, texts: [.first: [.english: ReminderText(title: "Title \(number)")]])
            }
            _ = try await concurrently(proposals.count) { number in
                try await stores.reminders.update(teamID: team.id, proposals[number])
            }
            #expect(proposals.contains(try await stores.reminders.find(teamID: team.id)))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The facts of many teams are those of each`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let now = Instants.start + 3 * Instants.day
            let (plain, reminded, closed, over, empty) = (
                try await stores.makeTeam(), try await stores.makeTeam(), try await stores.makeTeam(),
                try await stores.makeTeam(), try await stores.makeTeam()
            )
            let settings = ReminderSettings(hour: 11, texts: [.first: [.german: ReminderText(title: "Hallo")]])
            try await stores.reminders.update(teamID: reminded.id, settings)
            var sprints: [Team.ID: Sprint.Key] = [:]
            for team in [plain, reminded, closed] { sprints[team.id] = try await stores.makeSprint(of: team).key }
            _ = try await stores.makeSprint(
                of: over, start: Instants.start - 28 * Instants.day, label: SprintLabel(year: 2025, number: 25))
            _ = try await stores.makeSprint(
                of: reminded, start: Instants.start - 14 * Instants.day, label: SprintLabel(year: 2025, number: 26))
            #expect(try await stores.ballots.close(try #require(sprints[closed.id])))
            let sprint = try #require(sprints[reminded.id])
            let day = CalendarDay(instant: now, in: .gmt)
            let deliveries: [(Delivery.Kind, CalendarDay)] = [
                (.secondReminder, day), (.reminder, day.adding(days: -1)), (.message, day),
            ]
            for (kind, day) in deliveries {
                let occasion = Delivery.Occasion(sprint: sprint, kind: kind, day: day)
                #expect(try await stores.deliveries.insert(Delivery(occasion: occasion, begun: now)))
            }
            let before = Delivery.Occasion(
                sprint: Sprint.Key(teamID: reminded.id, start: Instants.start - 14 * Instants.day), kind: .reminder,
                day: day.adding(days: -14))
            #expect(try await stores.deliveries.insert(Delivery(occasion: before, begun: now)))

            let teams = [plain, reminded, closed, over, empty].map(\.id)
            let facts = try await stores.reminders.facts(of: teams, at: now)
            #expect(Set(facts.keys) == Set(teams))
            for team in teams {
                var expected: SprintRecord?
                if let key = sprints[team] { expected = try await stores.sprints.find(key) }
                #expect(facts[team]?.running?.sprint == expected?.sprint)
                #expect(facts[team]?.running?.state == expected?.state)
                #expect(facts[team]?.settings == (team == reminded.id ? settings : ReminderSettings()))
            }
            #expect(facts[closed.id]?.running?.state.isClosed == true)
            let earlier = facts[reminded.id]?.earlier.map(\.occasion)
            #expect(earlier == (try await stores.deliveries.reminders(of: sprint).map(\.occasion)))
            #expect(earlier?.map(\.kind) == [.reminder, .secondReminder])
            #expect(facts[plain.id]?.earlier.isEmpty == true)
            #expect(try await stores.reminders.facts(of: [], at: now).isEmpty)
        }
    }

    // MARK: - Absences

    @Test(arguments: StoreUnderTest.all)
    func `Absences are replaced as a whole and belong to one user`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (user, other) = (try await stores.makeUser(), try await stores.makeUser())
            #expect(try await stores.absences.list(userID: user.id).isEmpty)
            let absences = [
                try absence("2026-02-02", "2026-02-02"), try absence("2026-02-02", "2026-02-06"),
                try absence("2026-07-01", "2027-06-30"),
            ]
            try await stores.absences.replace(userID: user.id, absences)
            #expect(try await stores.absences.list(userID: user.id) == absences)
            #expect(try await stores.absences.list(userID: other.id).isEmpty)
            try await stores.absences.replace(userID: user.id, [absences[1]])
            #expect(try await stores.absences.list(userID: user.id) == [absences[1]])
            try await stores.absences.replace(userID: user.id, [])
            #expect(try await stores.absences.list(userID: user.id).isEmpty)
            #expect(try await stores.user(user.id) == user)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Absences of a user who does not exist are refused`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let away = [try absence("2026-02-02", "2026-02-03")]
            await expectRejection(.notFound, reason: .noSuchUser) {
                try await stores.absences.replace(userID: .random(), away)
            }
            await expectRejection(.notFound, reason: .noSuchUser) {
                try await stores.absences.replace(userID: .random(), [])
            }
            #expect(try await stores.absences.list(userID: .random()).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A team's absences are those of its members`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let members = try await stores.makeVoters(3, in: team).map(\.user.id)
            let stranger = try await stores.makeUser()
            let long = [try absence("2026-02-02", "2026-02-06"), try absence("2026-03-02", "2026-03-06")]
            let short = [try absence("2026-02-03", "2026-02-03")]
            try await stores.absences.replace(userID: members[0], long)
            try await stores.absences.replace(userID: members[1], short)
            try await stores.absences.replace(userID: stranger.id, short)
            #expect(try await stores.absences.list(teamID: team.id) == [members[0]: long, members[1]: short])
            let second = try await stores.makeTeam()
            try await stores.add(Membership(teamID: second.id, userID: members[0]))
            let byTeam = try await stores.absences.listByTeam()
            #expect(Set(byTeam[team.id] ?? []) == [long, short] && byTeam[second.id] == [long])
            #expect(byTeam.count == 2)
            try await stores.absences.replace(userID: members[1], [])
            try await stores.remove(userID: members[0], from: team.id)
            #expect(try await stores.absences.list(teamID: team.id).isEmpty)
            #expect(try await stores.absences.list(userID: members[0]) == long)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Past absences are removed, and others stay`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let users = [try await stores.makeUser(), try await stores.makeUser()]
            let past = try absence("2026-01-05", "2026-02-01")
            let ends = try absence("2026-01-05", "2026-02-02")
            let later = try absence("2026-12-24", "2026-12-31")
            try await stores.absences.replace(userID: users[0].id, [past, ends, later])
            try await stores.absences.replace(userID: users[1].id, [past])
            try await stores.absences.deletePast(before: try #require(CalendarDay("2026-02-02")))
            #expect(try await stores.absences.list(userID: users[0].id) == [ends, later])
            #expect(try await stores.absences.list(userID: users[1].id).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Absences are removed with the account, even those sent at that moment`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let away = [try absence("2026-02-02", "2026-02-03")]
            for _ in 0..<5 {
                let user = try await stores.makeUser()
                try await stores.absences.replace(userID: user.id, away)
                _ = try await concurrently(2) { number in
                    do {
                        if number == 0 {
                            try await stores.delete(id: user.id)
                        } else {
                            try await stores.absences.replace(userID: user.id, away)
                        }
                    } catch let error as AppError {
                        #expect(number == 1 && error.code == .notFound)
                    }
                }
                #expect(try await stores.absences.list(userID: user.id).isEmpty)
            }
        }
    }

    private func absence(_ first: String, _ last: String) throws -> Absence {
        Absence(first: try #require(CalendarDay(first)), last: try #require(CalendarDay(last)))
    }
}
