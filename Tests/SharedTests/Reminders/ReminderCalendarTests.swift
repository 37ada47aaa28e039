import Foundation
import TestSupport
import Testing

@testable import Domain

/// The days on which reminders are sent.
@Suite struct ReminderCalendarTests {
    // MARK: - One sprint

    @Test func `Tomorrow is the next working day of the sprint for a reminded member`() throws {
        // Monday to Sunday two weeks later; the first reminder on the Monday at 9, the second on the second Thursday.
        let start = Date(timeIntervalSince1970: 1_767_571_200)
        let sprint = Sprint(
            teamID: .random(), start: start, end: start + 14 * 86_400, closes: start + 14 * 86_400,
            label: SprintLabel(year: 2026, number: 1), threshold: 3, policy: .live)
        let calendar = ReminderCalendar(sprint: sprint, zone: .gmt, settings: ReminderSettings(remindsAgain: true))
        func day(_ number: Int) -> CalendarDay { CalendarDay(instant: start + Double(number) * 86_400, in: .gmt) }
        for (number, hour, first, next) in [
            (0, 8, nil, nil), (0, 10, 0, 1), (3, 10, 0, 4), (4, 10, 0, 7), (5, 10, 0, 7), (10, 10, 10, 11),
            (11, 10, nil, nil), (13, 10, nil, nil),
        ] as [(Int, Double, Int?, Int?)] {
            let found = calendar.postponement(
                at: start + Double(number) * 86_400 + hour * 3_600, chosenHour: nil)
            #expect(found?.day == next.map(day), "day \(number)")
            #expect(found?.absence == first.map { Absence(first: day($0), last: day(number)) }, "day \(number)")
            guard let (absence, next) = found else { continue }
            #expect(calendar.dueKind(on: next, absences: [absence]) == (first == 0 ? .first : .second))
        }
        for (hour, isReminded) in [(7, true), (12, false)] {
            #expect((calendar.postponement(at: start + 8 * 3_600, chosenHour: hour) != nil) == isReminded)
        }
    }

    @Test func `An ordinary fortnight has its Monday and the Thursday of its last week`() throws {
        let plan = try ReminderFixture()
        let calendar = plan.calendar(ReminderSettings(remindsAgain: true))
        #expect(calendar.occasions.map(\.kind) == [.first, .second])
        #expect(calendar.occasions.map(\.day.description) == ["2026-01-05", "2026-01-15"])
        #expect(calendar.days.count == 10)
        #expect(calendar.daysLeft(on: calendar.occasions[0].day) == 14)
        #expect(calendar.daysLeft(on: calendar.occasions[1].day) == 4)
    }

    @Test func `The window opens between five and twelve past, and closes at six`() throws {
        for _ in 0..<50 {
            let plan = try ReminderFixture(teamID: .random())
            let window = try #require(plan.calendar(ReminderSettings(hour: 14)).occasions.first?.window)
            let monday = try SprintTestData.instant("2026-01-05T00:00:00Z")
            let minute = window.lowerBound.timeIntervalSince(monday) / 60 - 13 * 60
            #expect((5...12).contains(minute))
            #expect(window.upperBound == monday + 17 * 3_600)
        }
    }

    @Test func `A team's minute stays, and teams are spread over all of them`() {
        let teams = (0..<400).map { _ in Team.ID.random() }
        let minutes = teams.map(ReminderCalendar.minute)
        #expect(minutes == teams.map(ReminderCalendar.minute))
        #expect(Set(minutes) == Set(ReminderCalendar.minutes))
        // The hash is not Swift's own, which differs between processes.
        #expect(Team.ID("00000000000000000000000000000001").map(ReminderCalendar.minute) == ReminderFixture.minuteOfOne)
    }

    @Test func `Nothing is planned while reminders are off`() throws {
        let plan = try ReminderFixture()
        let calendar = plan.calendar(ReminderSettings(isOn: false, remindsAgain: true))
        #expect(calendar.occasions.isEmpty)
        #expect(calendar.days.allSatisfy { calendar.dueKind(on: $0, absences: []) == nil })
    }

    @Test func `Holidays move the first forwards and the second backwards`() throws {
        let plan = try ReminderFixture()
        let holidays = try Set(["2026-01-05", "2026-01-06", "2026-01-16"].map(plan.day))
        let calendar = plan.calendar(ReminderSettings(remindsAgain: true, holidays: holidays))
        #expect(calendar.occasions.map(\.day.description) == ["2026-01-07", "2026-01-14"])
    }

    @Test func `A team's weekend is its own`() throws {
        let plan = try ReminderFixture()
        // From Monday 5 to Sunday 18 January.
        let cases: [(Set<Weekday>, [String], Int)] = [
            ([.saturday, .sunday], ["2026-01-15", "2026-01-16"], 10),
            ([.friday, .saturday], ["2026-01-15", "2026-01-18"], 10),
            ([.sunday], ["2026-01-16", "2026-01-17"], 12), ([], ["2026-01-17", "2026-01-18"], 14),
        ]
        for (weekend, days, count) in cases {
            let settings = ReminderSettings(timing: .end, remindsAgain: true, weekend: weekend)
            let calendar = plan.calendar(settings)
            #expect(calendar.occasions.map(\.day.description) == days)
            #expect(calendar.days.count == count)
        }
        let never = ReminderSettings(weekend: Set(Weekday.allCases))
        #expect(throws: AppError.self) { _ = try never.validated() }
    }

    @Test func `A day of the week off moves a member's reminder, and nobody else's`() throws {
        let plan = try ReminderFixture()
        let calendar = plan.calendar(ReminderSettings(timing: .end, remindsAgain: true))
        let (thursday, friday) = (try plan.day("2026-01-15"), try plan.day("2026-01-16"))
        #expect(calendar.dueKind(on: thursday, absences: []) == .first)
        // The first is sent late, which then is the day of the second.
        #expect(calendar.dueKind(on: thursday, absences: [], daysOff: [.thursday]) == nil)
        #expect(calendar.dueKind(on: friday, absences: [], daysOff: [.thursday]) == .first)
        #expect(calendar.dueKind(on: friday, absences: [], daysOff: [.friday]) == nil)
        #expect(calendar.dueKind(on: thursday, absences: [], daysOff: [.friday]) == .first)
        let away = [try plan.absence("2026-01-15", "2026-01-15")]
        #expect(calendar.days.allSatisfy { calendar.dueKind(on: $0, absences: away, daysOff: [.friday]) == nil })
        let noon = try SprintTestData.instant("2026-01-14T12:00:00Z")
        let start = plan.calendar(ReminderSettings())
        #expect(start.postponement(at: noon, chosenHour: nil)?.day == thursday)
        #expect(start.postponement(at: noon, chosenHour: nil, daysOff: [.thursday])?.day == friday)
    }

    @Test func `At the end, they are sent on the last two working days`() throws {
        let plan = try ReminderFixture()
        let settings = ReminderSettings(timing: .end, remindsAgain: true)
        #expect(plan.deliveries(plan.calendar(settings), []) == ["2026-01-15 first", "2026-01-16 second"])
        var once = settings
        once.remindsAgain = false
        once.holidays = [try plan.day("2026-01-16")]
        #expect(plan.deliveries(plan.calendar(once), []) == ["2026-01-14 first"])
        let away = [try plan.absence("2026-01-12", "2026-01-15")]
        #expect(plan.deliveries(plan.calendar(settings), away) == ["2026-01-16 first"])
    }

    @Test(arguments: [(0, 0), (1, 1), (2, 2), (3, 2)])
    func `At the end, a short sprint has as many reminders as working days`(days: Int, reminders: Int) throws {
        let plan = try ReminderFixture()
        let all = plan.calendar(ReminderSettings()).days
        let settings = ReminderSettings(timing: .end, remindsAgain: true, holidays: Set(all.dropLast(days)))
        #expect(plan.calendar(settings).occasions.map(\.day) == all.suffix(days).suffix(reminders))
    }

    @Test func `The second reminder is left out unless it is later than the first`() throws {
        let plan = try ReminderFixture()
        let days = plan.calendar(ReminderSettings()).days
        for (free, kinds) in [(0, 0), (1, 1), (2, 1), (3, 2)] {
            let calendar = plan.calendar(
                ReminderSettings(remindsAgain: true, holidays: Set(days.dropLast(free))))
            #expect(calendar.days.count == free)
            #expect(calendar.occasions.count == kinds)
        }
    }

    @Test func `A day on which the sprint begins too late is not one of its days`() throws {
        // Defined in another zone: by the team's clocks it begins on Monday at 15:00.
        let start = try SprintTestData.instant("2026-01-05T14:00:00Z")
        let plan = try ReminderFixture(start: start, end: start + 14 * TestTeam.day)
        let calendar = plan.calendar(ReminderSettings(hour: 9))
        #expect(calendar.days.first?.description == "2026-01-06")
        // And it ends on a Monday at 15:00, so that day is the last.
        #expect(calendar.days.last?.description == "2026-01-19")
        #expect(calendar.window(on: try plan.day("2026-01-19"))?.upperBound == start + 14 * TestTeam.day)
    }

    @Test func `A day that the time zone leaves out is no day`() throws {
        let zone = try SprintTestData.zone("Pacific/Apia")
        let span = SprintCalendar.isoFortnight.span(
            containing: try SprintTestData.instant("2011-12-28T00:00:00Z"), in: zone)
        let plan = try ReminderFixture(start: span.start, end: span.end, zone: zone)
        let days = plan.calendar(ReminderSettings()).days.map(\.description)
        #expect(days.contains("2011-12-29") && !days.contains("2011-12-30") && days.contains("2012-01-02"))
    }

    // MARK: - Absences

    @Test func `An absence moves a reminder to the next day that is not quiet`() throws {
        let plan = try ReminderFixture()
        let calendar = plan.calendar(ReminderSettings(remindsAgain: true, holidays: [try plan.day("2026-01-08")]))
        let away = [try plan.absence("2025-12-20", "2026-01-06"), try plan.absence("2026-01-07", "2026-01-07")]
        #expect(plan.deliveries(calendar, away) == ["2026-01-09 first", "2026-01-15 second"])
    }

    @Test func `A first reminder moved to the second's day or beyond is the only one`() throws {
        let plan = try ReminderFixture()
        let calendar = plan.calendar(ReminderSettings(remindsAgain: true))
        #expect(plan.deliveries(calendar, [try plan.absence("2026-01-05", "2026-01-14")]) == ["2026-01-15 first"])
        #expect(plan.deliveries(calendar, [try plan.absence("2026-01-01", "2026-01-15")]) == ["2026-01-16 first"])
        #expect(plan.deliveries(calendar, [try plan.absence("2026-01-01", "2026-01-16")]).isEmpty)
    }

    @Test func `An absence at the end costs only the second reminder`() throws {
        let plan = try ReminderFixture()
        let calendar = plan.calendar(ReminderSettings(remindsAgain: true))
        #expect(plan.deliveries(calendar, [try plan.absence("2026-01-15", "2026-01-30")]) == ["2026-01-05 first"])
    }
}

/// A sprint with the data needed to plan reminders.
struct ReminderFixture {
    /// The minute of team 1, computed with `sha256sum`: the digest's last three bits and five.
    static let minuteOfOne = 10

    let sprint: Sprint
    let zone: TimeZone

    /// The first two-week sprint of 2026 in Vienna, unless specified otherwise.
    init(
        teamID: Team.ID = .random(), start: Date? = nil, end: Date? = nil, zone: TimeZone? = nil
    ) throws {
        let zone = try zone ?? SprintTestData.zone("Europe/Vienna")
        let start = try start ?? SprintTestData.instant("2026-01-04T23:00:00Z")
        let end = end ?? start + 14 * TestTeam.day
        self.zone = zone
        sprint = Sprint(
            teamID: teamID, start: start, end: end, closes: end, label: SprintLabel(year: 2026, number: 1),
            threshold: 3, policy: .live)
    }

    func calendar(_ settings: ReminderSettings) -> ReminderCalendar {
        ReminderCalendar(sprint: sprint, zone: zone, settings: settings)
    }

    func day(_ text: String) throws -> CalendarDay {
        try #require(CalendarDay(text))
    }

    func absence(_ first: String, _ last: String) throws -> Absence {
        Absence(first: try day(first), last: try day(last))
    }

    /// A member's reminders, a month around the sprint: `2026-01-05 first`.
    func deliveries(_ calendar: ReminderCalendar, _ absences: [Absence]) -> [String] {
        let first = CalendarDay(instant: sprint.start, in: zone)
        return (-30...60).compactMap { offset in
            let day = first.adding(days: offset)
            return calendar.dueKind(on: day, absences: absences).map { "\(day) \($0.rawValue)" }
        }
    }
}
