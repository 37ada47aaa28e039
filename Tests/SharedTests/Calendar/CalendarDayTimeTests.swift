import Foundation
import TestSupport
import Testing

@testable import Domain

/// A time of day in a zone, with all changes of its clocks.
@Suite struct CalendarDayTimeTests {
    @Test(arguments: [
        // An ordinary day, summer and winter.
        ("Europe/Vienna", "2026-01-05", 9, 5, "2026-01-05T08:05:00Z"),
        ("Europe/Vienna", "2026-07-06", 9, 5, "2026-07-06T07:05:00Z"),
        ("Asia/Kathmandu", "2026-01-05", 9, 5, "2026-01-05T03:20:00Z"),
        // 02:00 was set forward to 03:00: 02:05 is the moment after the gap.
        ("Europe/Vienna", "2026-03-29", 1, 59, "2026-03-29T00:59:00Z"),
        ("Europe/Vienna", "2026-03-29", 2, 5, "2026-03-29T01:00:00Z"),
        ("Europe/Vienna", "2026-03-29", 3, 5, "2026-03-29T01:05:00Z"),
        ("America/New_York", "2026-03-08", 2, 59, "2026-03-08T07:00:00Z"),
        // 03:00 was set back to 02:00: the first of two.
        ("Europe/Vienna", "2026-10-25", 2, 5, "2026-10-25T00:05:00Z"),
        ("Europe/Vienna", "2026-10-25", 3, 5, "2026-10-25T02:05:00Z"),
        ("America/New_York", "2026-11-01", 1, 5, "2026-11-01T05:05:00Z"),
        // Half an hour: 02:00 to 02:30 in October, 02:00 to 01:30 in April.
        ("Australia/Lord_Howe", "2026-10-04", 2, 12, "2026-10-03T15:30:00Z"),
        ("Australia/Lord_Howe", "2026-10-04", 2, 31, "2026-10-03T15:31:00Z"),
        ("Australia/Lord_Howe", "2026-04-05", 1, 45, "2026-04-04T14:45:00Z"),
        // Midnight was skipped; 00:05 is the day's first instant, 01:00.
        ("America/Santiago", "2026-09-06", 0, 5, "2026-09-06T04:00:00Z"),
        // 24:00 was set back to 23:00 of the previous day: no time of this day occurs twice.
        ("America/Santiago", "2026-04-05", 0, 5, "2026-04-05T04:05:00Z"),
        // 00:01 was set back to 23:01: 00:05 occurs once, an hour later than expected.
        ("America/St_Johns", "2006-10-29", 0, 5, "2006-10-29T03:35:00Z"),
        // Samoa skipped 30 December 2011.
        ("Pacific/Apia", "2011-12-30", 9, 5, "2011-12-30T10:00:00Z"),
    ])
    func `A time is found, whatever the clocks do`(
        zone: String, day: String, hour: Int, minute: Int, instant: String
    ) throws {
        let day = try #require(CalendarDay(day))
        let found = day.instant(hour: hour, minute: minute, in: try SprintTestData.zone(zone))
        #expect(found == (try SprintTestData.instant(instant)))
    }

    @Test(.thorough, arguments: SprintTestData.zones + ["America/Santiago"])
    func `A time is the first instant at which clocks have reached it`(identifier: String) throws {
        let zone = try SprintTestData.zone(identifier)
        let first = CalendarDay.dayNumber(year: 1970, month: 1, day: 3)
        for number in first..<CalendarDay.dayNumber(year: 2038, month: 1, day: 1) {
            let day = CalendarDay(dayNumber: number)
            #expect(day.instant(hour: 0, minute: 0, in: zone) == day.firstInstant(in: zone))
            var last = Date.distantPast
            // Around clock changes, and at times without any.
            for (hour, minute) in [(0, 5), (1, 59), (2, 5), (3, 12), (9, 5), (23, 5)] {
                let found = day.instant(hour: hour, minute: minute, in: zone)
                let wanted = number * 86_400 + hour * 3_600 + minute * 60
                if Self.local(found, in: zone) < wanted || Self.local(found - 1, in: zone) >= wanted || found < last {
                    Issue.record("\(day) \(hour):\(minute) in \(identifier) is not \(found)")
                }
                last = found
            }
        }
    }

    /// Local time in seconds since local 1970-01-01T00:00.
    private static func local(_ instant: Date, in zone: TimeZone) -> Int {
        Int(instant.timeIntervalSince1970) + zone.secondsFromGMT(for: instant)
    }
}
