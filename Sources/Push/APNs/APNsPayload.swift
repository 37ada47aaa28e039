import Foundation
import Shared

/// What an iPhone's app gets
/// (https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification): `aps` is the
/// system's, `team`, `sprint` and `link` are the app's.
struct APNsPayload: Encodable {
    struct Alert: Encodable {
        let title: String
        let body: String
    }

    struct System: Encodable {
        let alert: Alert
        let sound = "default"
        /// The app offers its buttons by it.
        let category = "VOTE"
        /// Messages of one team lie in one stack.
        let thread: String

        private enum CodingKeys: String, CodingKey {
            case alert
            case sound
            case category
            case thread = "thread-id"
        }
    }

    /// Bytes (https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns).
    static let maximumLength = 4_096

    let aps: System
    let team: String
    let sprint: String
    let link: String

    init(_ message: PushMessage) {
        aps = System(
            alert: Alert(title: message.title, body: message.body), thread: message.teamID.description)
        team = message.teamID.description
        sprint = message.sprintLabel
        link = message.link
    }

    /// UTF-8.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }
}
