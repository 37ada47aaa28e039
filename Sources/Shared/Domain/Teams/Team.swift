package import Foundation

/// A group of people who share sprints, with the rules for these.
package struct Team: Hashable, Sendable {
    /// Identifies a team.
    package typealias ID = Identifier<Team>

    /// Who may read the feedback of members.
    package enum FeedbackReaders: String, Sendable, Codable, CaseIterable {
        /// Every member.
        case team
        /// The team's leads only.
        case leads
    }

    /// Which ballots a team counts.
    package enum AcceptedBallots: String, Sendable, Codable, CaseIterable {
        /// Plain and sealed ones.
        case any
        /// Sealed ones only: nobody can cast a ballot that the server sees together with a login.
        case sealed
    }

    /// Who may add actions.
    package enum ActionAuthors: String, Sendable, Codable, CaseIterable {
        /// Every member.
        case team
        /// The team's leads only.
        case leads
    }

    /// Stays the same when the team is renamed.
    package let id: ID
    /// Unique when case-folded, 1 to 80 characters.
    package var name: String
    /// The rules of its sprints.
    package var settings: TeamSettings
    /// Current number of members. Changes in the transaction that adds or removes one.
    package var memberCount: Int
    /// A counter of changes to what members may see: starts and closes of sprints, and publications, which a store may
    /// count elsewhere. `TeamRows.publicationNumber(of:)` returns the total.
    package var publicationNumber: Int
    /// SHA-256 of the share link's token; `nil` while nothing is shared.
    package var shareTokenHash: [UInt8]?

    /// Creates a team as a store keeps it.
    package init(
        id: ID = .random(), name: String, settings: TeamSettings = TeamSettings(), memberCount: Int = 0,
        publicationNumber: Int = 0, shareTokenHash: [UInt8]? = nil
    ) {
        self.id = id
        self.name = name
        self.settings = settings
        self.memberCount = memberCount
        self.publicationNumber = publicationNumber
        self.shareTokenHash = shareTokenHash
    }
}

/// The rules that a team's leads set for its sprints and actions. They apply from the next sprint on, except a raised
/// threshold and the rule about actions, which apply immediately.
package struct TeamSettings: Hashable, Sendable {
    /// The start, length and labels of sprints.
    package var calendar: SprintCalendar
    /// IANA name, e.g. `Europe/Vienna`; determines where a Monday begins.
    package var timeZone: String
    /// k: below this many ballots nothing of a sprint is published.
    package var threshold: Int
    /// When ballots become visible.
    package var policy: PublicationPolicy
    /// Days after a sprint's end in which the new API still accepts ballots for it.
    package var graceDays: Int
    /// Who may read feedback.
    package var feedbackReaders: Team.FeedbackReaders
    /// Which ballots are counted.
    package var ballots: Team.AcceptedBallots
    /// Who may add actions.
    package var actionAuthors: Team.ActionAuthors

    /// Ballots. One gives no protection; above 50 hardly any team would ever see a result.
    package static let thresholds = 2...50
    /// Days. With more than a week, two sprints would be open most of the time.
    package static let graceDayRange = 0...7

    /// By default two ISO weeks, UTC, three ballots, `live`, no grace, feedback for the whole team, any ballot,
    /// actions from the whole team.
    package init(
        calendar: SprintCalendar = .isoFortnight, timeZone: String = "UTC", threshold: Int = 3,
        policy: PublicationPolicy = .live, graceDays: Int = 0, feedbackReaders: Team.FeedbackReaders = .team,
        ballots: Team.AcceptedBallots = .any, actionAuthors: Team.ActionAuthors = .team
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

    /// - Throws: `AppError.unprocessable` naming the value out of range.
    package func validate() throws(AppError) {
        guard Self.thresholds.contains(threshold) else {
            throw AppError(
                .unprocessable,
                "The minimum must be from \(Self.thresholds.lowerBound) to \(Self.thresholds.upperBound) votes.")
        }
        guard Self.graceDayRange.contains(graceDays) else {
            throw AppError(.unprocessable, "The grace period must be from 0 to \(Self.graceDayRange.upperBound) days.")
        }
        guard TimeZone(identifier: timeZone) != nil else {
            throw AppError(.unprocessable, "There’s no time zone with this name. Use one like Europe/Vienna.")
        }
    }

    /// The time zone; UTC if the machine's zone data no longer contains the stored name.
    package var zone: TimeZone { TimeZone(identifier: timeZone) ?? .gmt }
}
