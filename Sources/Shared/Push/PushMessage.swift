public import Foundation

/// A short message for somebody's device; a tap opens the vote.
public struct PushMessage: Hashable, Sendable {
    /// One line.
    public let title: String
    /// One or two sentences; at most `maximumBodyLength` characters, so that it fits every service's payload.
    public let body: String
    /// Where a tap leads in the web app: an absolute URL built from `PUBLIC_URL`.
    public let link: String
    /// The team it is about; apps open that team's vote.
    public let teamID: Team.ID
    /// The sprint it is about, by its label: `2026/23`.
    public let sprintLabel: String
    /// Of the messages with one key a device that was offline shows the last only; at most 32 ASCII letters and
    /// digits, as Web Push allows in a topic (RFC 8030 §5.4), the strictest of the three services.
    public let collapseKey: String
    /// From here on nobody wants it any more: the sprint's end.
    public let expires: Date

    /// Characters of `body`. Six bytes each, the most one takes in JSON's escapes, leave room in 4,096 bytes for the
    /// rest (the limit of FCM, APNs and, for what has to be accepted, RFC 8030 §7.2).
    public static let maximumBodyLength = 400
    /// Characters of `title`.
    public static let maximumTitleLength = 80

    /// A message; title and body must keep to their limits.
    public init(
        title: String, body: String, link: String, teamID: Team.ID, sprintLabel: String, collapseKey: String,
        expires: Date
    ) {
        self.title = title
        self.body = body
        self.link = link
        self.teamID = teamID
        self.sprintLabel = sprintLabel
        self.collapseKey = collapseKey
        self.expires = expires
    }
}
