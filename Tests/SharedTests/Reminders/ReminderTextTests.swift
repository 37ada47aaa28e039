import Foundation
import TestSupport
import Testing

@testable import Domain

/// The texts of reminders.
@Suite struct ReminderTextTests {
    private func writer(_ settings: ReminderSettings = ReminderSettings(), team: String = "Blue") -> ReminderWriter {
        ReminderWriter(
            settings: settings, teamName: team, sprint: SprintLabel(year: 2026, number: 3), texts: .original)
    }

    private func own(_ text: ReminderText) -> ReminderSettings {
        ReminderSettings(texts: [.first: [.english: text]])
    }

    @Test(arguments: ReminderOccasion.Kind.allCases, MailLocale.allCases)
    func `The standard texts are valid and name the team`(
        kind: ReminderOccasion.Kind, locale: MailLocale
    ) throws {
        for timing in ReminderTiming.allCases {
            let standard = ReminderText.standard(for: kind, at: timing, in: Texts.original[locale])
            #expect(try standard.validated() == standard)
            let text = writer(ReminderSettings(timing: timing)).text(for: kind, in: locale, daysLeft: 4)
            #expect("\(text.title) \(text.body)".contains("Blue"))
            #expect(!"\(text.title) \(text.body)".contains("{"))
        }
    }

    @Test func `The standard texts differ, and at the end they ask how the sprint was`() {
        let start = ReminderText.standardTexts(at: .start, in: .original).values.flatMap(\.values)
        let end = ReminderText.standardTexts(at: .end, in: .original).values.flatMap(\.values)
        #expect(Set(start).count == 4 && Set(end).count == 4 && Set(start + end).count == 6)
        #expect(Set(end.map(\.title)).isSuperset(of: ["How happy were you this sprint?"]))
    }

    @Test func `Custom texts replace the standard ones part by part`() {
        let settings = own(ReminderText(title: "{team}! {days} days of {sprint}"))
        let text = writer(settings).text(for: .first, in: .english, daysLeft: 14)
        #expect(text.title == "Blue! 14 days of 2026/3")
        #expect(text.body == "Take 30 seconds to tell Blue how you’re doing.")
        #expect(writer(settings).text(for: .first, in: .german, daysLeft: 14).title == "Wie zufrieden bist du?")
        #expect(writer(settings).text(for: .second, in: .english, daysLeft: 4).title == "4 days left to vote")
    }

    @Test(arguments: [(1, "Only 1 day left", "Nur noch 1 Tag"), (3, "Only 3 days left", "Nur noch 3 Tage")])
    func `The days left have their word`(days: Int, english: String, german: String) {
        let texts: [MailLocale: ReminderText] = [
            .english: ReminderText(title: "Only {daysLeft} left"), .german: ReminderText(title: "Nur noch {daysLeft}"),
        ]
        let writer = writer(ReminderSettings(texts: [.second: texts]))
        #expect(writer.text(for: .second, in: .english, daysLeft: days).title == english)
        #expect(writer.text(for: .second, in: .german, daysLeft: days).title == german)
    }

    @Test func `Inserted text is not searched for placeholders again`() {
        let text = writer(own(ReminderText(title: "{team}{team}")), team: "{days}")
            .text(for: .first, in: .english, daysLeft: 3)
        #expect(text.title == "{days}{days}")
    }

    @Test(arguments: ["B", "🎉", "👨‍👩‍👧‍👦", "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}"])
    func `A text that a team's name makes too long loses its end`(letter: String) throws {
        let name = try TeamName(String(repeating: letter == "👨‍👩‍👧‍👦" ? "🎉" : letter, count: 80)).text
        let body = String(repeating: letter, count: 60) + String(repeating: "{team}", count: 10)
        let settings = own(ReminderText(title: "{team} and {team}", body: body))
        let text = writer(settings, team: name).text(for: .first, in: .english, daysLeft: 3)
        #expect(text.title.count <= PushMessage.maximumTitleLength && text.title.hasSuffix("…"))
        #expect(text.body.count <= PushMessage.maximumBodyLength && text.body.hasSuffix("…"))
        #expect(text.title.utf8.count <= 4 * PushMessage.maximumTitleLength)
        #expect(text.body.utf8.count <= 4 * PushMessage.maximumBodyLength)
        #expect(text.title.dropLast().allSatisfy { String($0) == String(name.prefix(1)) })
    }

    @Test(arguments: ["{name}", "{Team}", "{}", "{team }", "{days}{day}"])
    func `An unknown placeholder is refused by name`(text: String) throws {
        let name = text.replacing("{days}", with: "")
        for text in [ReminderText(title: text), ReminderText(body: "Hello \(text)!")] {
            #expect { _ = try own(text).validated() } throws: { error in
                let error = error as? AppError
                return error?.reason == .unknownPlaceholder
                    && error?.message
                        == "There’s no placeholder \(name). There are: {team}, {sprint}, {days}, {daysLeft}."
            }
        }
    }

    @Test(arguments: [
        ReminderText(title: String(repeating: "a", count: 81)), ReminderText(body: String(repeating: "a", count: 401)),
        ReminderText(title: String(repeating: "👨‍👩‍👧‍👦", count: 40)), ReminderText(body: "two\nlines"),
        ReminderText(title: "nul\0"), ReminderText(body: "tab\there"), ReminderText(body: "para\u{2029}graph"),
        ReminderText(body: "esc\u{1B}[31m"), ReminderText(title: "open {team"), ReminderText(title: "close }"),
        ReminderText(title: "}{"), ReminderText(body: "c1\u{85}here"), ReminderText(title: "{{team}"),
    ])
    func `An invalid text is refused`(text: ReminderText) {
        #expect { _ = try own(text).validated() } throws: { ($0 as? AppError)?.code == .unprocessable }
    }

    @Test func `White space at the ends is dropped, and so are empty texts`() throws {
        let settings = ReminderSettings(
            texts: [
                .first: [.english: ReminderText(title: " Hi \n", body: "\t"), .german: ReminderText(body: "  ")],
                .second: [.german: ReminderText()],
            ])
        #expect(try settings.validated().texts == [.first: [.english: ReminderText(title: "Hi")]])
    }

    @Test func `Texts of the greatest length and emoji are accepted`() throws {
        let text = ReminderText(
            title: String(repeating: "ß", count: 80), body: "👨‍👩‍👧‍👦 " + String(repeating: "語", count: 390))
        #expect(try own(text).validated() == own(text))
    }
}
