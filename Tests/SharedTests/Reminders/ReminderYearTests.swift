import Foundation
import TestSupport
import Testing

@testable import Domain

/// Whole years of reminders, with every clock change, and random absences.
@Suite struct ReminderYearTests {
    private static let zones = [
        "Europe/Vienna", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Santiago",
    ]
    private static let teamID = Team.ID.random()

    @Test(arguments: zones, [0, 1, 2, 9, 17])
    func `Each sprint has one first reminder, at the team's hour on a day without quiet`(
        identifier: String, hour: Int
    ) throws {
        let zone = try SprintTestData.zone(identifier)
        let holidays = try Self.holidays()
        let settings = ReminderSettings(hour: hour, remindsAgain: true, holidays: holidays)
        // 2026 has 53 weeks: its last sprint has three.
        let sprints = try Self.sprints(.isoFortnight, from: "2025-01-01", until: "2028-01-01", in: zone)
        #expect(sprints.count == 78)
        #expect(Set(sprints.map { Int(($0.end.timeIntervalSince($0.start) / 86_400).rounded()) }) == [14, 21])
        var offsets: Set<Int> = []
        for sprint in sprints {
            let calendar = ReminderCalendar(sprint: sprint, zone: zone, settings: settings)
            #expect(calendar.occasions.map(\.kind) == [.first, .second])
            for occasion in calendar.occasions {
                let window = occasion.window
                #expect(sprint.start <= window.lowerBound && window.upperBound <= sprint.end)
                #expect((1...5).contains(occasion.day.weekday) && !holidays.contains(occasion.day))
                #expect(CalendarDay(instant: window.lowerBound, in: zone) == occasion.day)
                let (begin, end) = (Self.time(window.lowerBound, in: zone), Self.time(window.upperBound, in: zone))
                #expect(begin.hour == hour && (5...12).contains(begin.minute))
                #expect(end.hour == 18 && end.minute == 0)
                offsets.insert(zone.secondsFromGMT(for: window.lowerBound))
            }
        }
        #expect(offsets.count == (identifier == "Asia/Kathmandu" ? 1 : 2))
    }

    @Test func `A year's reminders in Vienna are sent on these days`() throws {
        let zone = try SprintTestData.zone("Europe/Vienna")
        let settings = ReminderSettings(holidays: try Self.holidays())
        let days = try Self.sprints(.isoFortnight, from: "2026-01-05", until: "2027-01-20", in: zone).map { sprint in
            ReminderCalendar(sprint: sprint, zone: zone, settings: settings).occasions[0].day.description
        }
        #expect(
            days == [
                "2026-01-07", "2026-01-19", "2026-02-02", "2026-02-16", "2026-03-02", "2026-03-16", "2026-03-30",
                "2026-04-13", "2026-04-27", "2026-05-11", "2026-05-26", "2026-06-08", "2026-06-22", "2026-07-06",
                "2026-07-20", "2026-08-03", "2026-08-17", "2026-08-31", "2026-09-14", "2026-09-28", "2026-10-12",
                "2026-10-27", "2026-11-09", "2026-11-23", "2026-12-07", "2026-12-21", "2027-01-11",
            ])
    }

    @Test(.thorough, arguments: SprintTestData.calendars, 0..<40)
    func `Whatever holidays and absences there are, the promises hold`(cut: SprintCalendar, seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let zone = try SprintTestData.zone(try #require(Self.zones.randomElement(using: &random)))
        let sprints = try Self.sprints(cut, from: "2026-01-01", until: "2027-02-01", in: zone)
        let year = try #require(CalendarDay("2026-01-01"))
        let holidays = Self.holidays(from: year, using: &random)
        let settings = ReminderSettings(
            hour: .random(in: ReminderHour.all, using: &random), remindsAgain: .random(using: &random),
            holidays: holidays)
        let people = (0..<12).map { _ in Self.absences(from: year, using: &random) }
        for sprint in sprints {
            let calendar = ReminderCalendar(sprint: sprint, zone: zone, settings: settings)
            for absences in people {
                Self.check(calendar, of: sprint, in: zone, absences: absences)
            }
        }
    }

    /// The reminders of one member in one sprint.
    private static func check(
        _ calendar: ReminderCalendar, of sprint: Sprint, in zone: TimeZone, absences: [Absence]
    ) {
        var received: [(day: CalendarDay, kind: ReminderOccasion.Kind)] = []
        let first = CalendarDay(instant: sprint.start, in: zone)
        for offset in -7...40 {
            let day = first.adding(days: offset)
            guard let kind = calendar.dueKind(on: day, absences: absences) else { continue }
            received.append((day, kind))
            #expect(calendar.days.contains(day) && !absences.contains { $0.contains(day) })
            let window = calendar.window(on: day)
            #expect(window.map { sprint.start <= $0.lowerBound && $0.upperBound <= sprint.end } == true)
        }
        // At most one of each kind, the first one first.
        #expect([[], [.first], [.first, .second]].contains(received.map(\.kind)))
        let there = calendar.days.filter { day in !absences.contains { $0.contains(day) } }
        #expect(received.first?.day == there.first)
        if let second = calendar.occasions.first(where: { $0.kind == .second }) {
            let expected = there.first { $0 >= second.day }
            // Unless the first one took its place.
            #expect(received.dropFirst().first?.day == (expected == there.first ? nil : expected))
        } else {
            #expect(received.count <= 1)
        }
    }

    // MARK: - Made up

    private static func sprints(
        _ calendar: SprintCalendar, from: String, until: String, in zone: TimeZone
    ) throws -> [Sprint] {
        let from = try #require(CalendarDay(from)).firstInstant(in: zone)
        let until = try #require(CalendarDay(until)).firstInstant(in: zone)
        return calendar.spans(from: from, until: until, in: zone).filter { $0.start >= from }.map { span in
            Sprint(
                teamID: teamID, start: span.start, end: span.end, closes: span.end, label: span.label, threshold: 3,
                policy: .live)
        }
    }

    /// Austria's holidays of 2026, except on weekends.
    private static func holidays() throws -> Set<CalendarDay> {
        try Set(
            [
                "2026-01-01", "2026-01-05", "2026-01-06", "2026-04-06", "2026-05-01", "2026-05-14", "2026-05-25",
                "2026-06-04", "2026-10-26", "2026-12-08", "2026-12-24", "2026-12-25", "2026-12-31", "2027-01-01",
            ].map { try #require(CalendarDay($0)) })
    }

    /// Single days and, now and then, whole weeks: some sprints have hardly any days left.
    private static func holidays(
        from year: CalendarDay, using random: inout SeededGenerator
    ) -> Set<CalendarDay> {
        var holidays: Set<CalendarDay> = []
        for _ in 0..<Int.random(in: 0...20, using: &random) {
            let first = year.adding(days: .random(in: 0...380, using: &random))
            for offset in 0..<([1, 1, 1, 5, 12].randomElement(using: &random) ?? 1) {
                holidays.insert(first.adding(days: offset))
            }
        }
        return holidays
    }

    private static func absences(
        from year: CalendarDay, using random: inout SeededGenerator
    ) -> [Absence] {
        (0..<Int.random(in: 0...Absence.maximumCount, using: &random)).map { _ in
            let first = year.adding(days: .random(in: -10...380, using: &random))
            return Absence(first: first, last: first.adding(days: .random(in: 0...25, using: &random)))
        }
    }

    private static func time(_ instant: Date, in zone: TimeZone) -> (hour: Int, minute: Int) {
        let seconds = Int(instant.timeIntervalSince1970) + zone.secondsFromGMT(for: instant)
        let time = CalendarDay.floorModulo(seconds, 86_400)
        return (time / 3_600, time % 3_600 / 60)
    }
}
