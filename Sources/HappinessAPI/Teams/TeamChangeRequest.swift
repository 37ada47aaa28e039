import Domain

/// A change to a team as a client sends it; missing and null fields keep their value.
struct TeamChangeRequest: Decodable {
    let name: String?
    let calendar: SprintCalendar?
    let timeZone: String?
    let threshold: Int?
    let policy: PublicationPolicy?
    let graceDays: Int?
    let feedbackReaders: Team.FeedbackReaders?
    let ballots: Team.AcceptedBallots?
    let actionAuthors: Team.ActionAuthors?

    /// The service checks ranges.
    var settings: TeamSettingsChange {
        TeamSettingsChange(
            calendar: calendar, timeZone: timeZone, threshold: threshold, policy: policy, graceDays: graceDays,
            feedbackReaders: feedbackReaders, ballots: ballots, actionAuthors: actionAuthors)
    }
}
