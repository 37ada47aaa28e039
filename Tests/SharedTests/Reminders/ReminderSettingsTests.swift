import Domain
import Foundation
import Testing

/// Which settings and absences are valid.
@Suite struct ReminderSettingsTests {
    @Test(arguments: [0, 9, 17])
    func `The hours of the day are accepted`(hour: Int) throws {
        #expect(try ReminderSettings(hour: hour).validated().hour == hour)
    }

    @Test(arguments: [-1, 18, 24, .max, .min])
    func `Other hours are refused`(hour: Int) {
        #expect { _ = try ReminderSettings(hour: hour).validated() } throws: {
            ($0 as? AppError)?.code == .unprocessable
        }
    }

    @Test(arguments: [("2000-01-01", true), ("2100-12-31", true), ("1999-12-31", false), ("2101-01-01", false)])
    func `Holidays are in their years`(day: String, isTaken: Bool) throws {
        let settings = ReminderSettings(holidays: [try #require(CalendarDay(day))])
        if isTaken {
            #expect(try settings.validated() == settings)
        } else {
            #expect { _ = try settings.validated() } throws: { ($0 as? AppError)?.code == .unprocessable }
        }
    }

    @Test func `A year of holidays is accepted and not a day more`() throws {
        let first = try #require(CalendarDay("2028-01-01"))
        let year = Set((0..<366).map { first.adding(days: $0) })
        #expect(try ReminderSettings(holidays: year).validated().holidays.count == 366)
        let more = year.union([first.adding(days: 366)])
        #expect { _ = try ReminderSettings(holidays: more).validated() } throws: {
            ($0 as? AppError)?.code == .unprocessable
        }
    }

    // MARK: - Absences

    private static let now = Date(timeIntervalSince1970: 1_767_614_400)  // 2026-01-05T12:00:00Z

    private func absence(_ first: String, _ last: String) throws -> Absence {
        Absence(first: try #require(CalendarDay(first)), last: try #require(CalendarDay(last)))
    }

    @Test func `Absences are kept in order, each once and without past ones`() throws {
        let (over, today) = (try absence("2025-12-24", "2026-01-04"), try absence("2026-01-01", "2026-01-05"))
        let (short, long) = (try absence("2026-02-02", "2026-02-02"), try absence("2026-02-02", "2027-02-02"))
        #expect(try Absence.validated([long, over, short, today, long], at: Self.now) == [today, short, long])
    }

    @Test func `An absence is over only when it is over everywhere on earth`() throws {
        let yesterday = [try absence("2026-01-04", "2026-01-04")]
        // On Baker Island, twelve hours behind, it is still the day before.
        #expect(try Absence.validated(yesterday, at: Self.now - 1) == yesterday)
        #expect(try Absence.validated(yesterday, at: Self.now).isEmpty)
    }

    @Test(arguments: [
        ("2026-02-03", "2026-02-02"), ("2026-02-02", "2027-02-03"), ("1999-12-31", "2000-01-02"),
        ("2100-12-31", "2101-01-01"),
    ])
    func `An invalid absence is refused`(first: String, last: String) throws {
        let absence = try absence(first, last)
        #expect { _ = try Absence.validated([absence], at: Self.now) } throws: {
            ($0 as? AppError)?.code == .unprocessable
        }
    }

    @Test func `Ten future absences are accepted and not one more`() throws {
        let first = try #require(CalendarDay("2026-01-05"))
        let ten = (0..<10).map { Absence(first: first.adding(days: $0), last: first.adding(days: $0)) }
        let over = try absence("2025-01-01", "2025-01-02")
        #expect(try Absence.validated(ten + [over], at: Self.now) == ten)
        let eleven = ten + [try absence("2026-05-01", "2026-05-02")]
        #expect { _ = try Absence.validated(eleven, at: Self.now) } throws: {
            ($0 as? AppError)?.code == .unprocessable
        }
    }
}
