public import Foundation

/// People who share sprints, with the rules their sprints follow.
public struct Team: Hashable, Sendable {
    /// A team's identity.
    public typealias ID = Identifier<Team>

    /// Who may read what members wrote.
    public enum FeedbackReaders: String, Sendable, Codable, CaseIterable {
        /// Every member.
        case team
        /// The team's leads only.
        case leads
    }

    /// The team's identity.
    public let id: ID
    /// Unique when case-folded, 1 to 80 characters.
    public var name: String
    /// The rules of its sprints.
    public var settings: TeamSettings
    /// Members now. Changes in the transaction that adds or removes one.
    public var memberCount: Int
    /// Counts what changes what members may see: starts and closings of sprints, and publications, which a store may
    /// count elsewhere. The whole is `TeamStore.publicationNumber(of:)`.
    public var publicationNumber: Int
    /// SHA-256 of the share link's token; `nil` while the team shares nothing.
    public var shareTokenHash: [UInt8]?

    /// A team as a store keeps it.
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

/// What a team's leads decide about its sprints. Counts from the next sprint on, except a raised threshold, which
/// counts at once.
public struct TeamSettings: Hashable, Sendable {
    /// When sprints start and end, and what they are called.
    public var calendar: SprintCalendar
    /// IANA name, e.g. `Europe/Vienna`; where a Monday begins.
    public var timeZone: String
    /// k: below this many ballots nothing of a sprint is published.
    public var threshold: Int
    /// When ballots become visible.
    public var policy: PublicationPolicy
    /// Days after a sprint's end in which the new API still takes ballots for it.
    public var graceDays: Int
    /// Who may read feedback.
    public var feedbackReaders: Team.FeedbackReaders

    /// Ballots. One is no protection; above 50 hardly any team would ever see a result.
    public static let thresholds = 2...50
    /// Days. Longer than a week and two sprints would be open for most of the time.
    public static let graceDayRange = 0...7

    /// Two ISO weeks, UTC, three ballots, `live`, no grace, feedback for the whole team.
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

    /// - Throws: `AppError.refused` naming the value that is out of range.
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

    /// The time zone; UTC should the machine's zone data have lost the name since it was stored.
    public var zone: TimeZone { TimeZone(identifier: timeZone) ?? .gmt }
}

/// The fact that a user belongs to a team.
public struct Membership: Hashable, Sendable {
    /// What a user may do in one team.
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
    /// What the user may do in the team.
    public var role: Role

    /// A user in a team.
    public init(teamID: Team.ID, userID: User.ID, role: Role = .member) {
        self.teamID = teamID
        self.userID = userID
        self.role = role
    }
}
