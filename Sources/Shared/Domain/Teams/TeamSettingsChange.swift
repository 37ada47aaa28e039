/// A partial change of a team's settings; `nil` leaves a value unchanged.
package struct TeamSettingsChange: Hashable, Sendable {
    /// The start, length and labels of sprints.
    package var calendar: SprintCalendar?
    /// IANA name.
    package var timeZone: String?
    /// The threshold k, in ballots.
    package var threshold: Int?
    /// When ballots become visible.
    package var policy: PublicationPolicy?
    /// Days of grace after a sprint's end.
    package var graceDays: Int?
    /// Who may read feedback.
    package var feedbackReaders: Team.FeedbackReaders?
    /// Which ballots are counted.
    package var ballots: Team.AcceptedBallots?
    /// Who may add actions.
    package var actionAuthors: Team.ActionAuthors?

    /// By default changes nothing.
    package init(
        calendar: SprintCalendar? = nil, timeZone: String? = nil, threshold: Int? = nil,
        policy: PublicationPolicy? = nil, graceDays: Int? = nil, feedbackReaders: Team.FeedbackReaders? = nil,
        ballots: Team.AcceptedBallots? = nil, actionAuthors: Team.ActionAuthors? = nil
    ) {
        self.calendar = calendar
        self.timeZone = timeZone
        self.threshold = threshold
        self.policy = policy
        self.graceDays = graceDays
        self.feedbackReaders = feedbackReaders
        self.ballots = ballots
        self.actionAuthors = actionAuthors
    }

    /// Whether nothing would change.
    package var isEmpty: Bool { self == TeamSettingsChange() }

    /// The settings after the change.
    /// - Throws: `AppError.unprocessable` naming the value out of range.
    package func applied(to settings: TeamSettings) throws(AppError) -> TeamSettings {
        let changed = TeamSettings(
            calendar: calendar ?? settings.calendar, timeZone: timeZone ?? settings.timeZone,
            threshold: threshold ?? settings.threshold, policy: policy ?? settings.policy,
            graceDays: graceDays ?? settings.graceDays, feedbackReaders: feedbackReaders ?? settings.feedbackReaders,
            ballots: ballots ?? settings.ballots, actionAuthors: actionAuthors ?? settings.actionAuthors)
        try changed.validate()
        return changed
    }
}
