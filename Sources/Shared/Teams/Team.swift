public import Foundation

/// A group of people who share sprints, with the rules for these.
public struct Team: Hashable, Sendable {
    /// Identifies a team.
    public typealias ID = Identifier<Team>

    /// Who may read the feedback of members.
    public enum FeedbackReaders: String, Sendable, Codable, CaseIterable {
        /// Every member.
        case team
        /// The team's leads only.
        case leads
    }

    /// Stays the same when the team is renamed.
    public let id: ID
    /// Unique when case-folded, 1 to 80 characters.
    public var name: String
    /// The rules of its sprints.
    public var settings: TeamSettings
    /// Current number of members. Changes in the transaction that adds or removes one.
    public var memberCount: Int
    /// A counter of changes to what members may see: starts and closes of sprints, and publications, which a store may
    /// count elsewhere. `TeamStore.publicationNumber(of:)` returns the total.
    public var publicationNumber: Int
    /// SHA-256 of the share link's token; `nil` while nothing is shared.
    public var shareTokenHash: [UInt8]?

    /// Creates a team as a store keeps it.
    public init(
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

/// The rules that a team's leads set for its sprints. They apply from the next sprint on, except a raised threshold,
/// which applies immediately.
public struct TeamSettings: Hashable, Sendable {
    /// The start, length and labels of sprints.
    public var calendar: SprintCalendar
    /// IANA name, e.g. `Europe/Vienna`; determines where a Monday begins.
    public var timeZone: String
    /// k: below this many ballots nothing of a sprint is published.
    public var threshold: Int
    /// When ballots become visible.
    public var policy: PublicationPolicy
    /// Days after a sprint's end in which the new API still accepts ballots for it.
    public var graceDays: Int
    /// Who may read feedback.
    public var feedbackReaders: Team.FeedbackReaders

    /// Ballots. One gives no protection; above 50 hardly any team would ever see a result.
    public static let thresholds = 2...50
    /// Days. With more than a week, two sprints would be open most of the time.
    public static let graceDayRange = 0...7

    /// By default two ISO weeks, UTC, three ballots, `live`, no grace, feedback for the whole team.
    public init(
        calendar: SprintCalendar = .isoFortnight, timeZone: String = "UTC", threshold: Int = 3,
        policy: PublicationPolicy = .live, graceDays: Int = 0, feedbackReaders: Team.FeedbackReaders = .team
    ) {
        self.calendar = calendar
        self.timeZone = timeZone
        self.threshold = threshold
        self.policy = policy
        self.graceDays = graceDays
        self.feedbackReaders = feedbackReaders
    }

    /// - Throws: `AppError.refused` naming the value out of range.
    public func validate() throws(AppError) {
        guard Self.thresholds.contains(threshold) else {
            throw AppError(
                .refused,
                "The threshold must be from \(Self.thresholds.lowerBound) to \(Self.thresholds.upperBound).")
        }
        guard Self.graceDayRange.contains(graceDays) else {
            throw AppError(.refused, "The grace period must be from 0 to \(Self.graceDayRange.upperBound) days.")
        }
        guard TimeZone(identifier: timeZone) != nil else {
            throw AppError(.refused, "There is no time zone of this name. Use one like Europe/Vienna.")
        }
    }

    /// The time zone; UTC if the machine's zone data no longer contains the stored name.
    public var zone: TimeZone { TimeZone(identifier: timeZone) ?? .gmt }
}

/// A user's membership in a team.
public struct Membership: Hashable, Sendable {
    /// The permissions of a user in one team.
    public enum Role: String, Sendable, Codable, CaseIterable {
        /// Manages the team.
        case lead
        /// Votes and reads.
        case member
    }

    /// The team.
    public let teamID: Team.ID
    /// The user.
    public let userID: User.ID
    /// The permissions of the user in the team.
    public var role: Role

    /// By default an ordinary member.
    public init(teamID: Team.ID, userID: User.ID, role: Role = .member) {
        self.teamID = teamID
        self.userID = userID
        self.role = role
    }
}
