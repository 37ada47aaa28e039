import Domain
import Foundation

/// The payload for an iOS app
/// (https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification): `aps` is for the
/// system; `team`, `sprint` and `link` are for the app.
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
    let team: String
    let sprint: String
    let link: String

    init(_ message: PushMessage) {
        aps = System(alert: Alert(title: message.title, body: message.body), thread: message.teamID.description)
        team = message.teamID.description
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
