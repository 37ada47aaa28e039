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

    /// Says what a team of this size sees, and when, in the next sprint that starts.
    /// - Parameter threshold: the team's k.
    func seen(_ policy: PublicationPolicy, members: Int, threshold: Int) -> String {
        let values = [
            "people": words.number(members), "k": String(threshold), "first": String(2 * threshold),
        ]
        if policy == .immediate { return words.text("teamSettings.seenAtOnce", count: members, values) }
        if members < threshold { return words.text("teamSettings.seenNever", count: members, values) }
        switch policy.starting(with: members, threshold: threshold) {
        case .live: return words.text("teamSettings.seenInGroups", values)
        case .close where policy == .live: return words.text("teamSettings.seenAtEndUntil", values)
        case .close, .immediate: return words.text("teamSettings.seenAtEnd", values)
        }
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
