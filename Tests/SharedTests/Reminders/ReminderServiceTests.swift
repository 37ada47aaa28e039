import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

/// Who may read and change a team's reminders, and the content of a preview.
@Suite struct ReminderServiceTests {
    private static let settings = ReminderSettings(hour: 8, remindsAgain: true)

    private func withTeam(
        _ settings: TeamSettings = TeamSettings(timeZone: "Europe/Vienna"),
        at now: Date = TestTeam.firstMonday + 2 * TestTeam.day,
        _ body: (Stores, ReminderService, Team, User.ID) async throws -> Void
    ) async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let made = try await TestTeam.make(in: stores, members: 1, settings: settings)
            let lead = try await user("lead", in: stores)
            try await stores.add(Membership(teamID: made.team.id, userID: lead, role: .lead))
            let service = ReminderService(stores: stores, clock: WallClock { now })
            try await body(stores, service, made.team, lead)
        }
    }

    private func user(_ name: String, role: User.Role = .member, in stores: Stores) async throws -> User.ID {
        let user = User(name: try UserName(name), email: try EmailAddress("\(name)@example.org"), role: role)
        try await stores.insert(user)
        return user.id
    }

    @Test func `Members read, leads and admins change, and strangers find no team`() async throws {
        try await withTeam { stores, service, team, lead in
            let member = try #require(
                try await stores.members(of: team.id).first { $0.role == .member }?.userID)
            let admin = try await user("admin", role: .admin, in: stores)
            let stranger = try await user("stranger", in: stores)
            let callers: [(Caller, reads: AppError.Code?, changes: AppError.Code?)] = [
                (.operator, nil, nil), (.user(lead), nil, nil), (.user(admin), nil, nil),
                (.user(member), nil, .forbidden), (.user(stranger), .notFound, .notFound),
                (.user(.random()), .notFound, .notFound),
            ]
            for (caller, reads, changes) in callers {
                let refusals = [
                    try await rejection { _ = try await service.settings(of: team.id, by: caller) },
                    try await rejection { _ = try await service.update(team.id, Self.settings, by: caller) },
                    try await rejection {
                        _ = try await service.change(team.id, ReminderSettingsChange(hour: 8), by: caller)
                    },
                    try await rejection {
                        _ = try await service.preview(team.id, Self.settings, standard: .original, by: caller)
                    },
                ]
                #expect(refusals.map { $0?.code } == [reads, changes, changes, changes])
            }
            let missing = Team.ID.random()
            for caller in [Caller.operator, .user(admin), .user(lead)] {
                let reading = try await rejection { _ = try await service.settings(of: missing, by: caller) }
                let changing = try await rejection { _ = try await service.update(missing, Self.settings, by: caller) }
                #expect(reading?.code == .notFound && changing?.code == .notFound)
            }
        }
    }

    @Test func `Invalid settings are refused, and nothing changes`() async throws {
        try await withTeam { stores, service, team, lead in
            let bad = ReminderSettings(hour: 18)
            let change = ReminderSettingsChange(isOn: false, hour: -1)
            let refusals = [
                try await rejection { _ = try await service.update(team.id, bad, by: .user(lead)) },
                try await rejection {
                    _ = try await service.preview(team.id, bad, standard: .original, by: .user(lead))
                },
                try await rejection { _ = try await service.change(team.id, change, by: .operator) },
            ]
            #expect(refusals.map { $0?.code } == [.unprocessable, .unprocessable, .unprocessable])
            #expect(try await stores.reminderSettings(of: team.id) == ReminderSettings())
        }
    }

    @Test func `A change leaves unnamed fields alone`() async throws {
        try await withTeam { stores, service, team, lead in
            let holidays = [try #require(CalendarDay("2026-01-06"))]
            let before = ReminderSettings(
                holidays: Set(holidays), texts: [.first: [.german: ReminderText(title: "Servus")]])
            _ = try await service.update(team.id, before, by: .user(lead))
            let after = try await service.change(team.id, ReminderSettingsChange(remindsAgain: true), by: .operator)
            #expect(after.remindsAgain && after.isOn && after.hour == 9)
            #expect(after.holidays == before.holidays && after.texts == before.texts)
            #expect(try await stores.reminderSettings(of: team.id) == after)
        }
    }

    @Test func `A preview shows texts and days of this sprint and the next and changes nothing`() async throws {
        try await withTeam { stores, service, team, lead in
            var settings = Self.settings
            settings.texts = [.second: [.english: ReminderText(body: "{days} days for {team} in {sprint}")]]
            let preview = try await service.preview(team.id, settings, standard: .original, by: .user(lead))
            #expect(preview.sprints.map(\.sprint.label.description) == ["2026/1", "2026/2"])
            #expect(
                preview.sprints.map { $0.occasions.map(\.day.description) } == [
                    ["2026-01-05", "2026-01-15"], ["2026-01-19", "2026-01-29"],
                ])
            #expect(preview.texts[.second]?[.english]?.body == "4 days for \(team.name) in 2026/1")
            #expect(preview.texts.values.map(\.count) == [2, 2])
            #expect(try await stores.latestSprint(of: team.id) == nil)
            #expect(try await stores.reminderSettings(of: team.id) == ReminderSettings())
        }
    }

    /// Both first reminders in turn, on their days and afterwards: each text belongs to the next date shown next to it.
    @Test(arguments: [(0, "2026/1", "2026/1"), (2, "2026/2", "2026/1"), (11, "2026/2", "2026/2")])
    func `A text is filled in for the sprint in which it is sent next`(
        day: Int, first: String, second: String
    ) async throws {
        try await withTeam(at: TestTeam.firstMonday + Double(day) * TestTeam.day) { _, service, team, lead in
            var settings = Self.settings
            let text = ReminderText(title: "{sprint}", body: "{days}")
            settings.texts = [.first: [.english: text], .second: [.english: text]]
            let preview = try await service.preview(team.id, settings, standard: .original, by: .user(lead))
            #expect(preview.texts[.first]?[.english] == ReminderText(title: first, body: "14"))
            #expect(preview.texts[.second]?[.english] == ReminderText(title: second, body: "4"))
        }
    }

    @Test func `A preview uses the running sprint as it started and the next as it will be`() async throws {
        try await withTeam { stores, service, team, lead in
            let sprints = SprintService(
                stores: stores, secret: TestTeam.secret, clock: WallClock { TestTeam.firstMonday + TestTeam.day })
            _ = try await sprints.runningSprint(of: team.id)
            let weekly = TeamSettings(
                calendar: try #require(SprintCalendar("cadence:2026-01-05:1")), timeZone: "Europe/Vienna")
            try await stores.updateSettings(id: team.id, weekly)
            let preview = try await service.preview(team.id, ReminderSettings(), standard: .original, by: .user(lead))
            let lengths = preview.sprints.map { $0.sprint.end.timeIntervalSince($0.sprint.start) / TestTeam.day }
            #expect(lengths == [14, 7])
        }
    }

    @Test func `A preview of reminders that are off has texts and no days`() async throws {
        try await withTeam { _, service, team, lead in
            var settings = ReminderSettings(isOn: false)
            settings.texts = [.second: [.german: ReminderText(title: "Noch {days} Tage")]]
            let preview = try await service.preview(team.id, settings, standard: .original, by: .user(lead))
            #expect(preview.sprints.allSatisfy { $0.occasions.isEmpty })
            #expect(preview.texts[.second]?[.german]?.title == "Noch 4 Tage")
        }
    }

    // MARK: - Absences

    @Test func `Users have their own absences, and past ones are not shown`() async throws {
        try await withTeam { stores, _, _, lead in
            let clock = SettableClock(TestTeam.firstMonday + TestTeam.day / 2)
            let service = AbsenceService(stores: stores, clock: clock.wall)
            let caller = Principal(userID: lead, sessionID: .random())
            let monday = try #require(CalendarDay("2026-01-05"))
            let list = [
                Absence(first: monday, last: monday), Absence(first: monday, last: monday.adding(days: 9)),
            ]
            #expect(try await service.replace(list.reversed(), by: caller) == list)
            #expect(try await service.list(by: caller) == list)
            clock.advance(by: TestTeam.day)
            #expect(try await service.list(by: caller) == [list[1]])
            let gone = Principal(userID: .random(), sessionID: .random())
            #expect(try await rejection { _ = try await service.replace(list, by: gone) }?.code == .unauthenticated)
        }
    }
}
