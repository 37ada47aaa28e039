import Domain
import Foundation
import Services
import TestSupport
import Testing

@testable import HappinessAPI

/// How the days of a sprint are written.
@Suite struct SprintTextsTests {
    /// The days from this Monday on, in the team's time zone: its midnight is 23:00 UTC of the previous day, in winter.
    private static func days(
        _ firstMonday: String, _ language: MailLocale, isShort: Bool = false, hasYear: Bool = false
    ) throws -> String {
        let zone = try #require(TimeZone(identifier: "Europe/Vienna"))
        let start = try Date("\(firstMonday)T00:00:00+01:00", strategy: .iso8601)
        let end = start + 14 * TestTeam.day
        let sprint = Sprint(
            teamID: .random(), start: start, end: end, closes: end, label: SprintLabel(year: 2026, number: 1),
            threshold: 3, policy: .live)
        let words = SprintTexts(words: try .original(in: language), zone: zone)
        let text =
            hasYear
            ? words.datesWithYear(of: sprint) : isShort ? words.shortDates(of: sprint) : words.dates(of: sprint)
        return text.replacing("\u{a0}", with: "_")
    }

    /// A day stays next to its month (`_`, a no-break space), so that lines break only between days.
    @Test(arguments: [
        ("2026-11-09", MailLocale.english, "9–22_November", "9–22_Nov"),
        ("2026-11-09", .german, "9.–22._November", "9.–22._Nov."),
        ("2026-02-23", .english, "23_February_– 8_March", "23_Feb_– 8_Mar"),
        ("2026-02-23", .german, "23._Februar_– 8._März", "23._Feb._– 8._März"),
        ("2026-12-21", .english, "21_December_– 3_January", "21_Dec_– 3_Jan"),
        ("2026-12-28", .german, "28._Dezember_– 10._Januar", "28._Dez._– 10._Jan."),
    ])
    func `The days of a sprint are those of its team`(
        firstMonday: String, language: MailLocale, days: String, short: String
    ) throws {
        #expect(try Self.days(firstMonday, language) == days)
        #expect(try Self.days(firstMonday, language, isShort: true) == short)
    }

    @Test func `The year is that of the last day`() throws {
        #expect(try Self.days("2026-11-09", .english, hasYear: true) == "9–22_November 2026")
        #expect(try Self.days("2026-12-28", .german, hasYear: true) == "28._Dezember_– 10._Januar 2027")
    }

    /// If a word were missing, a month would be a number.
    @Test(arguments: MailLocale.allCases, ["calendar.months", "calendar.shortMonths"])
    func `Every month has a name`(language: MailLocale, key: String) throws {
        let names = try LocalizedTexts.original(in: language).text(key).split(separator: " ")
        #expect(names.count == 12 && Set(names).count == 12)
    }
}
