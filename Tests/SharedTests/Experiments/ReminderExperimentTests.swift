import Domain
import Foundation
import TestSupport
import Testing

/// Valid experiments, the reminders they apply to, and the resulting texts.
@Suite struct ReminderExperimentTests {
    private static let words: [ReminderExperiment.Side: [MailLocale: ReminderText]] = [
        .a: [.english: ReminderText(title: "A")]
    ]

    private static func experiment(
        _ first: String = "2026-03-02", _ last: String = "2026-05-31",
        wordings: [ReminderExperiment.Side: [MailLocale: ReminderText]] = words
    ) throws -> ReminderExperiment {
        ReminderExperiment(
            teamID: .random(), kind: .first, first: try #require(CalendarDay(first)),
            last: try #require(CalendarDay(last)), wordings: wordings)
    }

    @Test func `Texts are trimmed, and empty ones left out`() throws {
        let today = try #require(CalendarDay("2026-03-01"))
        let experiment = try Self.experiment(wordings: [
            .a: [.english: ReminderText(title: "  "), .german: ReminderText(body: " {days} Tage ")], .b: [:],
        ])
        let validated = try experiment.validated(on: today)
        #expect(validated.wordings == [.a: [.german: ReminderText(body: "{days} Tage")]])
        #expect(validated.id == experiment.id && validated.last == experiment.last)
    }

    @Test(arguments: [
        ("2026-03-02", "2026-03-01", "ends before it begins"),
        ("2026-03-02", "2027-03-03", "longer than 366 days"),
        ("2026-03-01", "2026-03-31", "tomorrow or later"),
        ("2100-12-31", "2101-01-01", "2000 to 2100"),
    ])
    func `An invalid period is refused`(first: String, last: String, saying text: String) throws {
        let today = try #require(CalendarDay("2026-03-01"))
        let error = try #require(throws: AppError.self) { try Self.experiment(first, last).validated(on: today) }
        #expect(error.code == .unprocessable && error.message.contains(text))
        _ = try Self.experiment("2026-03-02", "2027-03-02").validated(on: today)
        _ = try Self.experiment("2026-03-02", "2026-03-02").validated(on: today)
    }

    @Test func `Wordings that are the same or have an unknown placeholder are refused`() throws {
        let today = try #require(CalendarDay("2026-03-01"))
        let same = ReminderText(title: "Same")
        for wordings in [[:], [.a: [.english: same], .b: [.english: ReminderText(title: " Same ")]]]
            as [[ReminderExperiment.Side: [MailLocale: ReminderText]]]
        {
            let error = try #require(throws: AppError.self) {
                try Self.experiment(wordings: wordings).validated(on: today)
            }
            #expect(error.code == .unprocessable && error.message.contains("the same"))
        }
        let error = try #require(throws: AppError.self) {
            try Self.experiment(wordings: [.b: [.german: ReminderText(body: "{name}")]]).validated(on: today)
        }
        #expect(error.reason == .unknownPlaceholder)
    }

    @Test func `A side reads its own texts, then the team's, then the standard ones`() throws {
        let experiment = try Self.experiment(wordings: [
            .a: [.english: ReminderText(title: "Title of A")], .b: [.german: ReminderText(body: "Text von B")],
        ])
        let settings = ReminderSettings(texts: [
            .first: [.english: ReminderText(title: "Our title", body: "Our body")],
            .second: [.english: ReminderText(title: "Second")],
        ])
        let label = SprintLabel(year: 2026, number: 5)
        func text(_ side: ReminderExperiment.Side, _ locale: MailLocale) -> ReminderText {
            ReminderWriter(
                settings: experiment.settings(settings, for: side), teamName: "T", sprint: label, texts: .original
            )
            .text(for: .first, in: locale, daysLeft: 3)
        }
        #expect(text(.a, .english) == ReminderText(title: "Title of A", body: "Our body"))
        #expect(text(.b, .english) == ReminderText(title: "Our title", body: "Our body"))
        #expect(text(.b, .german) == ReminderText(title: "Wie zufrieden bist du?", body: "Text von B"))
        #expect(text(.a, .german).title == "Wie zufrieden bist du?")
        #expect(experiment.settings(settings, for: .a).texts[.second] == settings.texts[.second])
    }

    @Test func `An experiment words reminders of its period in sprints that started there`() throws {
        let experiment = try Self.experiment("2026-03-02", "2026-03-31")
        func covers(_ day: String, _ start: String) throws -> Bool {
            experiment.covers(try #require(CalendarDay(day)), inSprintFrom: try #require(CalendarDay(start)))
        }
        #expect(try covers("2026-03-02", "2026-03-02") && covers("2026-03-31", "2026-03-30"))
        #expect(try !covers("2026-03-12", "2026-03-01") && !covers("2026-04-01", "2026-03-30"))
    }
}
