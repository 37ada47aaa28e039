/// What to change of a team's settings; `nil` leaves a value as it is.
public struct TeamSettingsChange: Hashable, Sendable {
    /// When sprints start and end.
    public var calendar: SprintCalendar?
    /// IANA name.
    public var timeZone: String?
    /// k.
    public var threshold: Int?
    /// When ballots become visible.
    public var policy: PublicationPolicy?
    /// Days.
    public var graceDays: Int?
    /// Who may read feedback.
    public var feedbackReaders: Team.FeedbackReaders?

    /// Names what to change.
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

    /// Whether there is nothing to change.
    public var isEmpty: Bool { self == TeamSettingsChange() }

    /// The settings after the change.
    /// - Throws: `AppError.refused` naming the value that is out of range.
    public func applied(to settings: TeamSettings) throws(AppError) -> TeamSettings {
        let changed = TeamSettings(
            calendar: calendar ?? settings.calendar, timeZone: timeZone ?? settings.timeZone,
            threshold: threshold ?? settings.threshold, policy: policy ?? settings.policy,
            graceDays: graceDays ?? settings.graceDays, feedbackReaders: feedbackReaders ?? settings.feedbackReaders)
        try changed.validate()
        return changed
    }
}
