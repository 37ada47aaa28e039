import ArgumentParser
import Domain

extension PublicationPolicy: ExpressibleByArgument {}
extension SprintCalendar: ExpressibleByArgument {}
extension Team.ActionAuthors: ExpressibleByArgument {}
extension Team.AcceptedBallots: ExpressibleByArgument {}
extension Team.FeedbackReaders: ExpressibleByArgument {}

/// A team's settings on the command line; a missing option keeps the value.
struct TeamSettingsOptions: ParsableArguments {
    @Option(help: "Minimum votes for a result, 2 to 50.")
    var threshold: Int?
    @Option(help: "When votes become visible: live, close or immediate (no protection).")
    var policy: PublicationPolicy?
    @Option(help: "isoFortnight, or cadence:MONDAY:WEEKS such as cadence:2026-01-05:3.")
    var calendar: SprintCalendar?
    @Option(help: "IANA time zone, such as Europe/Vienna.")
    var timeZone: String?
    @Option(help: "Days after a sprint's end in which it still accepts votes, 0 to 7.")
    var graceDays: Int?
    @Option(help: "Who can read feedback: team or leads.")
    var feedback: Team.FeedbackReaders?
    @Option(help: "Which votes count: any, or sealed ones only.")
    var ballots: Team.AcceptedBallots?
    @Option(help: "Who can add actions: team or leads.")
    var actions: Team.ActionAuthors?

    var change: TeamSettingsChange {
        TeamSettingsChange(
            calendar: calendar, timeZone: timeZone, threshold: threshold, policy: policy, graceDays: graceDays,
            feedbackReaders: feedback, ballots: ballots, actionAuthors: actions)
    }
}

extension TeamSettings {
    /// One line per setting, under the name of its option.
    var lines: [String] {
        [
            "threshold   \(threshold)",
            "policy      \(policy.rawValue)",
            "calendar    \(calendar)",
            "time-zone   \(timeZone)",
            "grace-days  \(graceDays)",
            "feedback    \(feedbackReaders.rawValue)",
            "ballots     \(ballots.rawValue)",
            "actions     \(actionAuthors.rawValue)",
        ]
    }
}
