import Foundation
import TestSupport
import Testing

@testable import Domain

@Suite struct ClassicSprintLabelsTests {
    /// The week numbering of a locale, as in `java.util.Calendar` and ICU.
    struct WeekRule: Sendable {
        /// 1 (Monday) ... 7 (Sunday).
        let firstWeekday: Int
        /// Minimum number of days of the new year in the first week.
        let minimalDays: Int

        /// `WEEK_OF_YEAR`: 1 in late December already if the week belongs to the next year.
        func week(of day: CalendarDay) -> Int {
            let number = day.dayNumber
            let startOfWeek = number - (day.weekday - firstWeekday + 7) % 7
            if startOfWeek >= firstWeek(of: day.year + 1) { return 1 }
            let first = firstWeek(of: day.year)
            return (startOfWeek - (startOfWeek >= first ? first : firstWeek(of: day.year - 1))) / 7 + 1
        }

        private func firstWeek(of year: Int) -> Int {
            let newYear = CalendarDay.dayNumber(year: year, month: 1, day: 1)
            let start = newYear - (CalendarDay.weekday(dayNumber: newYear) - firstWeekday + 7) % 7
            return start + 7 - newYear >= minimalDays ? start : start + 7
        }
    }

    static let rules = [
        WeekRule(firstWeekday: 1, minimalDays: 4), WeekRule(firstWeekday: 7, minimalDays: 1),
        WeekRule(firstWeekday: 6, minimalDays: 1), WeekRule(firstWeekday: 1, minimalDays: 1),
        WeekRule(firstWeekday: 7, minimalDays: 4), WeekRule(firstWeekday: 5, minimalDays: 1),
    ]

    @Test(.thorough, arguments: rules)
    func `No phone is refused on any day from 1970 to 2100`(rule: WeekRule) {
        var refused: [String] = []
        let first = CalendarDay.dayNumber(year: 1970, month: 1, day: 1)
        for number in first...CalendarDay.dayNumber(year: 2100, month: 12, day: 31) {
            let noon = Date(timeIntervalSince1970: Double(number) * 86_400 + 43_200)
            // Neighbouring days mostly have the same label: check each one once.
            var asked: SprintLabel?
            for phone in (number - 1)...(number + 1) {
                let day = CalendarDay(dayNumber: phone)
                let label = SprintLabel(year: day.year, number: rule.week(of: day) / 2)
                guard label != asked else { continue }
                asked = label
                if !ClassicSprintLabels.accepts(label, at: noon, zone: .gmt) {
                    refused.append("\(label) on \(CalendarDay(dayNumber: number))")
                }
            }
        }
        #expect(refused.isEmpty)
    }

    @Test func `This test's week rules are Foundation's`() throws {
        for rule in Self.rules {
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            calendar.firstWeekday = rule.firstWeekday % 7 + 1
            calendar.minimumDaysInFirstWeek = rule.minimalDays
            for number in stride(from: 0, to: 47_000, by: 11) {
                let week = calendar.component(.weekOfYear, from: Date(timeIntervalSince1970: Double(number * 86_400)))
                #expect(rule.week(of: CalendarDay(dayNumber: number)) == week)
            }
        }
    }

    @Test func `Labels three sprints away are refused`() {
        let calendar = SprintCalendar.isoFortnight
        let spans = calendar.spans(from: SprintTestData.start, until: SprintTestData.end, in: .gmt)
        for index in spans.indices.dropFirst(3).dropLast(3) {
            let now = spans[index].start.addingTimeInterval(86_400)
            #expect(ClassicSprintLabels.current(at: now, zone: .gmt) == spans[index].label)
            for distance in -3...3 {
                let isAccepted = ClassicSprintLabels.accepts(spans[index + distance].label, at: now, zone: .gmt)
                #expect(isAccepted == (abs(distance) <= 1), "\(spans[index + distance].label) in \(spans[index].label)")
            }
        }
    }

    @Test(arguments: [
        ("2026-01-02", "2025/26", true), ("2026-01-02", "2025/0", true), ("2026-01-02", "2026/0", true),
        ("2026-01-02", "2026/26", true), ("2026-01-02", "2025/25", true), ("2026-01-02", "2026/1", true),
        ("2026-01-02", "2026/2", false), ("2026-01-02", "2024/26", false), ("2026-01-02", "2024/0", false),
        ("2026-01-02", "2027/0", false), ("2026-01-02", "2025/1", false), ("2026-01-02", "2025/26b", false),
        ("2026-06-01", "2026/0", false), ("2026-06-01", "2026/26", false), ("2026-06-01", "2026/11", true),
    ])
    func `The years may be mixed around New Year and not at other times`(
        day: String, label: String, isAccepted: Bool
    ) throws {
        let noon = try #require(CalendarDay(day)).firstInstant(in: .gmt).addingTimeInterval(43_200)
        let label = try #require(SprintLabel(label))
        #expect(ClassicSprintLabels.accepts(label, at: noon, zone: .gmt) == isAccepted)
    }
}
