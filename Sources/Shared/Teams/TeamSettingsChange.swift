/// A partial change of a team's settings; `nil` leaves a value unchanged.
public struct TeamSettingsChange: Hashable, Sendable {
    /// The start, length and labels of sprints.
    public var calendar: SprintCalendar?
    /// IANA name.
    public var timeZone: String?
    /// The threshold k, in ballots.
    public var threshold: Int?
    /// When ballots become visible.
    public var policy: PublicationPolicy?
    /// Days of grace after a sprint's end.
    public var graceDays: Int?
    /// Who may read feedback.
    public var feedbackReaders: Team.FeedbackReaders?

    /// By default changes nothing.
    public init(
        calendar: SprintCalendar? = nil, timeZone: String? = nil, threshold: Int? = nil,
        policy: PublicationPolicy? = nil, graceDays: Int? = nil, feedbackReaders: Team.FeedbackReaders? = nil
    ) {
        self.calendar = calendar
        self.timeZone = timeZone
        self.threshold = threshold
        self.policy = policy
        self.graceDays = graceDays
        self.feedbackReaders = feedbackReaders
    }

    /// Whether nothing would change.
    public var isEmpty: Bool { self == TeamSettingsChange() }

    /// The settings after the change.
    /// - Throws: `AppError.refused` naming the value out of range.
    public func applied(to settings: TeamSettings) throws(AppError) -> TeamSettings {
        let changed = TeamSettings(
            calendar: calendar ?? settings.calendar, timeZone: timeZone ?? settings.timeZone,
            threshold: threshold ?? settings.threshold, policy: policy ?? settings.policy,
            graceDays: graceDays ?? settings.graceDays, feedbackReaders: feedbackReaders ?? settings.feedbackReaders)
        try changed.validate()
        return changed
    }
}
