import Domain

/// Texts for a team's settings.
struct TeamSettingsTexts: Sendable {
    let words: LocalizedTexts
    let language: PageLanguage

    /// A calendar in one line.
    func text(_ calendar: SprintCalendar) -> String {
        switch calendar {
        case .isoFortnight: words.text("teamSettings.fortnight")
        case .cadence(let anchor, let weeks):
            words.text("teamSettings.cadenceFrom", ["length": label(weeks: weeks), "day": anchor.text(in: language)])
        }
    }

    func label(weeks: Int) -> String {
        weeks == 1 ? words.text("teamSettings.oneWeek") : words.text("teamSettings.weeks", ["count": String(weeks)])
    }

    func label(_ policy: PublicationPolicy) -> String {
        words.text("teamSettings.\(policy.rawValue)")
    }

    /// Says what a policy protects.
    func text(_ policy: PublicationPolicy) -> String {
        words.text("teamSettings.\(policy.rawValue)Text")
    }

    func label(_ readers: Team.FeedbackReaders) -> String {
        switch readers {
        case .team: words.text("teamSettings.teamReads")
        case .leads: words.text("teamSettings.leadsRead")
        }
    }

    func label(_ ballots: Team.AcceptedBallots) -> String {
        switch ballots {
        case .any: words.text("teamSettings.anyBallots")
        case .sealed: words.text("teamSettings.sealedBallots")
        }
    }

    func label(_ authors: Team.ActionAuthors) -> String {
        switch authors {
        case .team: words.text("teamSettings.teamAdds")
        case .leads: words.text("teamSettings.leadsAdd")
        }
    }

    func label(graceDays: Int) -> String {
        switch graceDays {
        case 0: words.text("teamSettings.noGrace")
        case 1: words.text("teamSettings.oneDay")
        default: words.text("teamSettings.days", ["count": String(graceDays)])
        }
    }
}
