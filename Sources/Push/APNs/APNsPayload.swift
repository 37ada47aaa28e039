import Domain
import Foundation

/// The payload for an iOS app
/// (https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification): `aps` is for the
/// system; the rest is for the app, and has the keys that a message through Firebase has (`FCMMessage`).
///
/// The API guide (`templates/pages/api.html`) describes both to authors of apps.
struct APNsPayload: Encodable {
    struct Alert: Encodable {
        let title: String
        let body: String
    }

    struct System: Encodable {
        let alert: Alert
        let sound = "default"
        /// The app shows its buttons for this category.
        let category = "VOTE"
        /// Groups the messages of one team.
        let thread: String

        private enum CodingKeys: String, CodingKey {
            case alert
            case sound
            case category
            case thread = "thread-id"
        }
    }

    /// Maximum bytes
    /// (https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns).
    static let maximumLength = 4_096

    let aps: System
    let kind = "vote"
    let teamID: String
    /// As `teamID`, for apps made for version 0.1.0.
    let team: String
    let sprint: String
    let link: String

    init(_ message: PushMessage) {
        aps = System(alert: Alert(title: message.title, body: message.body), thread: message.teamID.description)
        teamID = message.teamID.description
        team = teamID
        sprint = message.sprintLabel
        link = message.link
    }

    /// JSON in UTF-8.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }
}
