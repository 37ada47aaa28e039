/// The rules that leads set for their team.
package struct TeamRules: Hashable, Sendable {
    /// As in `Team`.
    package var name: String
    /// As in `Team`.
    package var settings: TeamSettings

    /// Takes the values unchecked.
    package init(name: String, settings: TeamSettings) {
        self.name = name
        self.settings = settings
    }
}

extension Team {
    /// Its name and its settings.
    package var rules: TeamRules {
        get { TeamRules(name: name, settings: settings) }
        set { (name, settings) = (newValue.name, newValue.settings) }
    }
}

extension Edit<TeamRules> {
    /// The rules after the change.
    /// - Throws: `AppError`: `unprocessable` naming the invalid value, `conflict` (`changed-meanwhile`).
    package func applied(to present: TeamRules) throws(AppError) -> TeamRules {
        var rules = present
        try apply(\.name, to: &rules)
        try apply(\.settings.calendar, to: &rules)
        try apply(\.settings.timeZone, to: &rules)
        try apply(\.settings.threshold, to: &rules)
        try apply(\.settings.policy, to: &rules)
        try apply(\.settings.graceDays, to: &rules)
        try apply(\.settings.feedbackReaders, to: &rules)
        try apply(\.settings.ballots, to: &rules)
        try apply(\.settings.actionAuthors, to: &rules)
        if rules.name != present.name { rules.name = try TeamName(rules.name).text }
        try rules.settings.validate()
        return rules
    }
}
