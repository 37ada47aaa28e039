package import Foundation

/// A short message for a user's device; a tap opens the vote.
package struct PushMessage: Hashable, Sendable {
    /// One line.
    package let title: String
    /// One or two sentences; at most `maximumBodyLength` characters, so that it fits every service's payload.
    package let body: String
    /// The page in the web app that a tap opens: an absolute URL built from `PUBLIC_URL`.
    package let link: String
    /// A second button, for users who want to be reminded again; `nil` if there is none.
    package let later: Later?
    /// The team concerned; apps open its vote.
    package let teamID: Team.ID
    /// The label of the sprint concerned: `2026/23`.
    package let sprintLabel: String
    /// A device that was offline shows only the last message with the same key; at most 32 ASCII letters and digits, as
    /// Web Push allows for a topic (RFC 8030 §5.4), the strictest of the three services.
    package let collapseKey: String
    /// The message is useless from here on: the sprint's end.
    package let expires: Date

    /// A button of the notification.
    package struct Later: Hashable, Sendable {
        /// In the language of the message.
        package let label: String
        /// The page that it opens: an absolute URL.
        package let link: String

        /// Takes a label of a few words.
        package init(label: String, link: String) {
            self.label = label
            self.link = link
        }
    }

    /// Characters of `body`. Six bytes each, the maximum of one in JSON's escapes, leave room in 4,096 bytes for the
    /// rest (the limit of FCM, APNs and, for messages that must be accepted, RFC 8030 §7.2).
    package static let maximumBodyLength = 400
    /// Characters of `title`.
    package static let maximumTitleLength = 80

    /// Title and body must respect their limits.
    package init(
        title: String, body: String, link: String, later: Later? = nil, teamID: Team.ID, sprintLabel: String,
        collapseKey: String, expires: Date
    ) {
        self.title = title
        self.body = body
        self.link = link
        self.later = later
        self.teamID = teamID
        self.sprintLabel = sprintLabel
        self.collapseKey = collapseKey
        self.expires = expires
    }
}
