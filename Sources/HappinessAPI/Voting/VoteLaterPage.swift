import Domain
import Foundation
import Services

/// Asks whether to be reminded again.
struct VoteLaterPage: Page {
    static let template = "vote-later"

    /// Path of the ballot's form; that of this page's form begins with it.
    let vote: SitePath
    /// Path of the live view.
    let back: SitePath
    /// `Remind me tomorrow`.
    let label: String

    /// Names the day of the next reminder.
    static func label(_ day: CalendarDay, in team: Team, words: LocalizedTexts, now: Date) -> String {
        day == CalendarDay(instant: now, in: team.settings.zone).adding(days: 1)
            ? words.text("vote.remindTomorrow")
            : words.text("vote.remindOn", ["day": SprintTexts.text(of: day, words)])
    }
}

extension VoteLaterPage {
    init(_ day: CalendarDay, in team: Team, words: LocalizedTexts, now: Date) {
        vote = .vote(of: team.id)
        back = .live(of: team.id)
        label = Self.label(day, in: team, words: words, now: now)
    }
}
