import Shared

/// What a client wants to change of a team; what is missing or null stays as it is.
struct TeamChangeRequest: Decodable {
    let name: String?
    let calendar: SprintCalendar?
    let timeZone: String?
    let threshold: Int?
    let policy: PublicationPolicy?
    let graceDays: Int?
    let feedbackReaders: Team.FeedbackReaders?

    /// Ranges are the service's matter.
    var settings: TeamSettingsChange {
        TeamSettingsChange(
            calendar: calendar, timeZone: timeZone, threshold: threshold, policy: policy, graceDays: graceDays,
            feedbackReaders: feedbackReaders)
    }
}
