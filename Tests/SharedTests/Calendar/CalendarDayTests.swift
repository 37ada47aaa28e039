import Foundation
import Testing

@testable import Domain

@Suite struct CalendarDayTests {
    @Test func `Every day from 1970 to 2100 agrees with Foundation`() throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        // Every fifth day: coprime to 7, and Foundation is slow.
        for number in stride(from: 0, through: CalendarDay.dayNumber(year: 2100, month: 12, day: 31), by: 5) {
            let day = CalendarDay(dayNumber: number)
            let parts = calendar.dateComponents(
                [.year, .month, .day, .weekday, .weekOfYear, .yearForWeekOfYear],
                from: Date(timeIntervalSince1970: Double(number * 86_400)))
            #expect([parts.year, parts.month, parts.day] == [day.year, day.month, day.day])
            #expect(parts.weekday == day.weekday % 7 + 1)
            #expect([parts.yearForWeekOfYear, parts.weekOfYear] == [day.isoWeek.year, day.isoWeek.week])
        }
    }

    @Test func `Every day number near a century is its own inverse`() {
        for year in stride(from: 100, through: 9900, by: 100) {
            let first = CalendarDay.dayNumber(year: year - 1, month: 12, day: 30)
            for number in first...(first + 430) {
                let day = CalendarDay(dayNumber: number)
                #expect(day.dayNumber == number)
                #expect(CalendarDay(year: day.year, month: day.month, day: day.day) == day)
            }
        }
    }

    @Test(arguments: ["0001-01-01", "1969-12-31", "1970-01-01", "2000-02-29", "2026-01-05", "9999-12-31"])
    func `The text is read as it is printed`(text: String) {
        #expect(CalendarDay(text)?.description == text)
    }

    @Test(arguments: [
        "", "2026-1-5", "2026-01-5", "02026-01-05", "2026-01-05 ", " 2026-01-05", "2026/01/05", "+026-01-05",
        "-026-01-05",
        "2026-13-01", "2026-00-01", "2026-02-29", "2100-02-29", "2026-04-31", "2026-01-00", "0000-01-01", "2026-01-0٥",
        "2026-01-05T00:00:00Z", "20260105", "2026-01-05\n", "２０２６-01-05",
    ])
    func `Any other text is refused`(text: String) {
        #expect(CalendarDay(text) == nil)
    }

    @Test func `JSON contains the text and refuses others`() throws {
        let day = try #require(CalendarDay("2026-01-05"))
        #expect(try String(decoding: JSONEncoder().encode([day]), as: UTF8.self) == #"["2026-01-05"]"#)
        #expect(try JSONDecoder().decode([CalendarDay].self, from: Data(#"["2026-01-05"]"#.utf8)) == [day])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([CalendarDay].self, from: Data(#"["2026-02-30"]"#.utf8))
        }
    }

    @Test func `Arithmetic counts days and stops at the ends`() throws {
        let day = try #require(CalendarDay("2024-02-28"))
        #expect(day.adding(days: 2).description == "2024-03-01")
        #expect(day.adding(days: -59).description == "2023-12-31")
        #expect(day.days(until: day.adding(days: 1000)) == 1000)
        #expect(day.adding(days: 1) > day)
        #expect(day.adding(days: .max).description == "9999-12-31")
        #expect(day.adding(days: .min).description == "0001-01-01")
    }

    @Test(arguments: [
        // Midnight skipped: the first instant is 01:00.
        ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z"),
        ("Asia/Beirut", "2023-03-26", "2023-03-25T22:00:00Z"),
        ("America/Asuncion", "2023-10-01", "2023-10-01T04:00:00Z"),
        ("Africa/Cairo", "2024-04-26", "2024-04-25T22:00:00Z"),
        ("Asia/Tehran", "2022-03-22", "2022-03-21T20:30:00Z"),
        // Midnight occurs twice: 01:00 was set back to 00:00; the first one is used.
        ("America/Havana", "2023-11-05", "2023-11-05T04:00:00Z"),
        ("Atlantic/Azores", "2023-10-29", "2023-10-29T00:00:00Z"),
        // 24:00 was set back to 23:00: midnight is an hour late and occurs once.
        ("America/Sao_Paulo", "2018-02-18", "2018-02-18T03:00:00Z"),
        // 00:01 was set back to 23:01 of the previous day.
        ("America/St_Johns", "2006-10-29", "2006-10-29T02:30:00Z"),
        // Samoa skipped 30 December 2011.
        ("Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z"),
        ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"),
        ("Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z"),
        // Liberia was 44 minutes and 30 seconds behind until 1972.
        ("Africa/Monrovia", "1971-06-01", "1971-06-01T00:44:30Z"),
    ])
    func `The first instant of a day is found, whatever the clocks do`(
        zone: String, day: String, instant: String
    ) throws {
        let day = try #require(CalendarDay(day))
        #expect(day.firstInstant(in: try SprintTestData.zone(zone)) == (try SprintTestData.instant(instant)))
    }

    @Test func `A day that clocks reached and left again starts when it was first reached`() throws {
        let zone = try SprintTestData.zone("America/St_Johns")
        let sunday = try #require(CalendarDay("2006-10-29"))
        let first = sunday.firstInstant(in: zone)
        #expect(CalendarDay(instant: first, in: zone) == sunday)
        #expect(CalendarDay(instant: first.addingTimeInterval(60), in: zone) < sunday)
        #expect(CalendarDay(instant: first.addingTimeInterval(3660), in: zone) == sunday)
    }

    @Test(arguments: SprintTestData.zones)
    func `First instants are the first of their day and never go backwards`(identifier: String) throws {
        let zone = try SprintTestData.zone(identifier)
        var last = Date.distantPast
        let end = CalendarDay.dayNumber(year: 2038, month: 1, day: 1)
        for number in CalendarDay.dayNumber(year: 1970, month: 1, day: 3)..<end {
            let day = CalendarDay(dayNumber: number)
            let first = day.firstInstant(in: zone)
            let shown = CalendarDay(instant: first, in: zone)
            // A skipped day starts with the next one.
            let next = day.adding(days: 1)
            if shown != day, first != next.firstInstant(in: zone) || shown != next {
                Issue.record("\(day) in \(identifier) starts at \(first), which is \(shown)")
            }
            if CalendarDay(instant: first.addingTimeInterval(-1), in: zone) >= day || first < last {
                Issue.record("\(day) in \(identifier) starts before \(first)")
            }
            last = first
        }
    }

    @Test func `Instants beyond all calendars do not trap`() throws {
        let zone = try SprintTestData.zone("Europe/Vienna")
        for seconds in [-Double.infinity, -1e300, .nan, -1e15] {
            #expect(CalendarDay(instant: Date(timeIntervalSince1970: seconds), in: zone).description == "0001-01-01")
        }
        for seconds in [1e15, 1e300, .infinity] {
            #expect(CalendarDay(instant: Date(timeIntervalSince1970: seconds), in: zone).description == "9999-12-31")
        }
    }
}
