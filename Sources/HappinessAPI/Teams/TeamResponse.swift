import Domain

/// A team as its members see it.
struct TeamResponse: Encodable {
    let id: String
    let name: String
    /// The caller's role; missing for an administrator who is not in the team.
    let role: Membership.Role?
    let members: Int
    let calendar: String
    let timeZone: String
    let threshold: Int
    let policy: PublicationPolicy
    let graceDays: Int
    let feedbackReaders: Team.FeedbackReaders
    let ballots: Team.AcceptedBallots
    let actionAuthors: Team.ActionAuthors
    let isShared: Bool

    init(_ team: Team, role: Membership.Role?) {
        id = team.id.description
        name = team.name
        self.role = role
        members = team.memberCount
        calendar = team.settings.calendar.description
        timeZone = team.settings.timeZone
        threshold = team.settings.threshold
        policy = team.settings.policy
        graceDays = team.settings.graceDays
        feedbackReaders = team.settings.feedbackReaders
        ballots = team.settings.ballots
        actionAuthors = team.settings.actionAuthors
        isShared = team.shareTokenHash != nil
    }
}
