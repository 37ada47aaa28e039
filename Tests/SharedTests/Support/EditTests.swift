import Domain
import Testing

/// Concurrent edits of the same value.
@Suite struct EditTests {
    private static let seen = TeamRules(name: "Blue", settings: TeamSettings())

    private static func rules(_ name: String = "Blue", threshold: Int = 3, graceDays: Int = 0) -> TeamRules {
        TeamRules(name: name, settings: TeamSettings(threshold: threshold, graceDays: graceDays))
    }

    @Test func `Fields a user left alone keep their current values`() throws {
        let edit = Edit(from: Self.seen, to: Self.rules(graceDays: 2))
        let present = Self.rules("Navy", threshold: 5)
        #expect(try edit.applied(to: present) == Self.rules("Navy", threshold: 5, graceDays: 2))
        #expect(try Edit(from: Self.seen, to: Self.seen).applied(to: present) == present)
    }

    @Test func `Another user's different change is not overwritten`() {
        let edit = Edit(from: Self.seen, to: Self.rules("Sky", threshold: 4))
        for present in [Self.rules("Navy"), Self.rules(threshold: 5), Self.rules("Sky", threshold: 5)] {
            #expect(throws: AppError.seenChanged) { try edit.applied(to: present) }
        }
    }

    @Test func `Two users with the same change do not conflict`() throws {
        let edit = Edit(from: Self.seen, to: Self.rules("Sky", threshold: 4))
        #expect(try edit.applied(to: Self.rules("Sky", graceDays: 1)) == Self.rules("Sky", threshold: 4, graceDays: 1))
    }

    @Test func `An invalid edit is refused`() {
        for wanted in [Self.rules(" "), Self.rules(threshold: 1)] {
            let error = #expect(throws: AppError.self) {
                try Edit(from: Self.seen, to: wanted).applied(to: Self.seen)
            }
            #expect(error?.code == .unprocessable)
        }
    }

    @Test func `Each reminder in each language is changed by itself`() throws {
        func settings(_ texts: [ReminderOccasion.Kind: [MailLocale: ReminderText]]) -> ReminderSettings {
            ReminderSettings(texts: texts)
        }
        let (mine, theirs) = (ReminderText(title: "Mine"), ReminderText(body: "Theirs"))
        let edit = Edit(from: settings([:]), to: settings([.first: [.english: mine]]))
        let merged = try edit.applied(to: settings([.first: [.german: theirs], .second: [.english: theirs]]))
        #expect(merged == settings([.first: [.english: mine, .german: theirs], .second: [.english: theirs]]))
        #expect(throws: AppError.seenChanged) { try edit.applied(to: settings([.first: [.english: theirs]])) }
        let full = settings([.first: [.english: mine]])
        let emptied = Edit(from: full, to: settings([.first: [.english: ReminderText()]]))
        #expect(try emptied.applied(to: full) == settings([:]))
    }
}
