import Domain
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
            #expect(try await stores.reminderSettings(of: team.id) == ReminderSettings())
            #expect(try await stores.reminderSettings(of: .random()) == ReminderSettings())
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Settings are replaced as a whole and belong to one team`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, other) = (try await stores.makeTeam(), try await stores.makeTeam())
            let first = ReminderSettings(
                isOn: false, timing: .end, hour: 17, remindsAgain: true, weekend: [.friday, .saturday],
                holidays: Set(try ["2026-12-24", "2000-01-01", "2100-12-31"].map { try #require(CalendarDay($0)) }),
                texts: [
                    .first: [
                        .german: ReminderText(title: "Hallo {team} 🎉", body: "'; DROP TABLE teams; -- \"$where\""),
                        .english: ReminderText(body: "Body alone"),
                    ],
                    .second: [.german: ReminderText(title: "Title alone")],
                ])
            try await stores.update(first, of: team.id)
            #expect(try await stores.reminderSettings(of: team.id) == first)
            #expect(try await stores.reminderSettings(of: other.id) == ReminderSettings())

            let second = ReminderSettings(
                hour: 0, weekend: [], texts: [.second: [.english: ReminderText(title: "New")]])
            try await stores.update(second, of: team.id)
            #expect(try await stores.reminderSettings(of: team.id) == second)
            try await stores.update(ReminderSettings(), of: team.id)
            #expect(try await stores.reminderSettings(of: team.id) == ReminderSettings())
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The days off of a team are those of its members, each set once`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, other) = (try await stores.makeTeam(), try await stores.makeTeam())
            let members = try await stores.makeVoters(4, in: team).map(\.user.id)
            let stranger = try await stores.makeUser()
            try await stores.add(Membership(teamID: other.id, userID: members[0]))
            func choose(_ days: Set<Weekday>, _ id: User.ID) async throws {
                try await stores.update(id: id, UserUpdate(notifications: NotificationChange(daysOff: days)))
            }
            for (id, days) in zip(members, [[.friday, .monday], [.friday], [.friday], []] as [Set<Weekday>]) {
                try await choose(days, id)
                #expect(try await stores.user(id)?.notifications.daysOff == days)
            }
            try await choose([.tuesday], stranger.id)
            let expected: [Team.ID: Set<Set<Weekday>>] = [
                team.id: [[.monday, .friday], [.friday]], other.id: [[.monday, .friday]],
            ]
            #expect(try await stores.read { try $0.chosenDaysOff() } == expected)
            for id in members { try await choose([], id) }
            #expect(try await stores.read { try $0.chosenDaysOff() }.isEmpty)
        }
    }

    @Test(.needsMongod) func `Reminders of an older MongoDB database stay at the start of the sprint`() async throws {
        let fixture = try await MongoFixture.make()
        let team = try await fixture.stores.makeTeam()
        try await fixture.stores.update(ReminderSettings(timing: .end, hour: 8), of: team.id)
        _ = try await fixture.client.run {
            try $0.collection("reminderSettings").updateOne(
                ["_id": .string(team.id.description)], ["$unset": ["timing": "", "weekend": ""]])
        }
        #expect(try await fixture.stores.reminderSettings(of: team.id) == ReminderSettings(hour: 8))
    }

    @Test(arguments: StoreUnderTest.all)
    func `A full calendar of holidays is kept`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let first = try #require(CalendarDay("2026-01-01"))
            let settings = ReminderSettings(
                holidays: Set((0..<ReminderSettings.maximumHolidays).map { first.adding(days: $0) }))
            try await stores.update(settings, of: team.id)
            #expect(try await stores.reminderSettings(of: team.id) == settings)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Settings of a team that does not exist are refused`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            await expectRejection(.notFound, reason: .noSuchTeam) {
                try await stores.update(ReminderSettings(), of: .random())
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
                try await stores.update(proposals[number], of: team.id)
            }
            #expect(proposals.contains(try await stores.reminderSettings(of: team.id)))
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
            try await stores.update(settings, of: reminded.id)
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
                #expect(try await stores.insert(Delivery(occasion: occasion, begun: now)))
            }
            let before = Delivery.Occasion(
                sprint: Sprint.Key(teamID: reminded.id, start: Instants.start - 14 * Instants.day), kind: .reminder,
                day: day.adding(days: -14))
            #expect(try await stores.insert(Delivery(occasion: before, begun: now)))

            let teams = [plain, reminded, closed, over, empty].map(\.id)
            let facts = try await stores.read { try $0.reminderFacts(of: teams, at: now) }
            #expect(Set(facts.keys) == Set(teams))
            for team in teams {
                var expected: SprintRecord?
                if let key = sprints[team] { expected = try await stores.sprint(key) }
                #expect(facts[team]?.running?.sprint == expected?.sprint)
                #expect(facts[team]?.running?.state == expected?.state)
                #expect(facts[team]?.settings == (team == reminded.id ? settings : ReminderSettings()))
            }
            #expect(facts[closed.id]?.running?.state.isClosed == true)
            let earlier = facts[reminded.id]?.earlier.map(\.occasion)
            #expect(earlier == (try await stores.read { try $0.reminders(of: sprint) }.map(\.occasion)))
            #expect(earlier?.map(\.kind) == [.reminder, .secondReminder])
            #expect(facts[plain.id]?.earlier.isEmpty == true)
            #expect(try await stores.read { try $0.reminderFacts(of: [], at: now) }.isEmpty)
        }
    }

    // MARK: - Absences

    @Test(arguments: StoreUnderTest.all)
    func `Absences are replaced as a whole and belong to one user`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (user, other) = (try await stores.makeUser(), try await stores.makeUser())
            #expect(try await stores.absences(of: user.id).isEmpty)
            let absences = [
                try absence("2026-02-02", "2026-02-02"), try absence("2026-02-02", "2026-02-06"),
                try absence("2026-07-01", "2027-06-30"),
            ]
            try await stores.replaceAbsences(of: user.id, by: absences)
            #expect(try await stores.absences(of: user.id) == absences)
            #expect(try await stores.absences(of: other.id).isEmpty)
            try await stores.replaceAbsences(of: user.id, by: [absences[1]])
            #expect(try await stores.absences(of: user.id) == [absences[1]])
            try await stores.replaceAbsences(of: user.id, by: [])
            #expect(try await stores.absences(of: user.id).isEmpty)
            #expect(try await stores.user(user.id) == user)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Absences of a user who does not exist are refused`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let away = [try absence("2026-02-02", "2026-02-03")]
            await expectRejection(.notFound, reason: .noSuchUser) {
                try await stores.replaceAbsences(of: .random(), by: away)
            }
            await expectRejection(.notFound, reason: .noSuchUser) {
                try await stores.replaceAbsences(of: .random(), by: [])
            }
            #expect(try await stores.absences(of: .random()).isEmpty)
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
            try await stores.replaceAbsences(of: members[0], by: long)
            try await stores.replaceAbsences(of: members[1], by: short)
            try await stores.replaceAbsences(of: stranger.id, by: short)
            #expect(try await stores.read { try $0.absences(in: team.id) } == [members[0]: long, members[1]: short])
            let second = try await stores.makeTeam()
            try await stores.add(Membership(teamID: second.id, userID: members[0]))
            let byTeam = try await stores.read { try $0.absencesByTeam() }
            #expect(Set(byTeam[team.id] ?? []) == [long, short] && byTeam[second.id] == [long])
            #expect(byTeam.count == 2)
            try await stores.replaceAbsences(of: members[1], by: [])
            try await stores.remove(userID: members[0], from: team.id)
            #expect(try await stores.read { try $0.absences(in: team.id) }.isEmpty)
            #expect(try await stores.absences(of: members[0]) == long)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Past absences are removed, and others stay`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let users = [try await stores.makeUser(), try await stores.makeUser()]
            let past = try absence("2026-01-05", "2026-02-01")
            let ends = try absence("2026-01-05", "2026-02-02")
            let later = try absence("2026-12-24", "2026-12-31")
            try await stores.replaceAbsences(of: users[0].id, by: [past, ends, later])
            try await stores.replaceAbsences(of: users[1].id, by: [past])
            try await stores.write { try $0.deletePastAbsences(before: try #require(CalendarDay("2026-02-02"))) }
            #expect(try await stores.absences(of: users[0].id) == [ends, later])
            #expect(try await stores.absences(of: users[1].id).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Absences are removed with the account, even those sent at that moment`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let away = [try absence("2026-02-02", "2026-02-03")]
            for _ in 0..<5 {
                let user = try await stores.makeUser()
                try await stores.replaceAbsences(of: user.id, by: away)
                _ = try await concurrently(2) { number in
                    do {
                        if number == 0 {
                            try await stores.delete(id: user.id)
                        } else {
                            try await stores.replaceAbsences(of: user.id, by: away)
                        }
                    } catch let error as AppError {
                        #expect(number == 1 && error.code == .notFound)
                    }
                }
                #expect(try await stores.absences(of: user.id).isEmpty)
            }
        }
    }

    private func absence(_ first: String, _ last: String) throws -> Absence {
        Absence(first: try #require(CalendarDay(first)), last: try #require(CalendarDay(last)))
    }
}
