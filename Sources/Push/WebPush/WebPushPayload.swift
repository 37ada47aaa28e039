import Domain
import Foundation

/// The content that the web app's service worker reads from `event.data.json()`:
///
///     {"title": "…", "body": "…", "link": "https://…", "team": "<32 hexadecimal digits>", "sprint": "2026/23",
///      "laterLabel": "…", "laterLink": "https://…"}
///
/// It shows `title` and `body`, and opens `link` on a tap. The notification's `tag` consists of `team` and `sprint`, so
/// a second reminder replaces the first. The last two are a second button, and missing if there is none; more may be added.
struct WebPushPayload: Encodable {
    let title: String
    let body: String
    let link: String
    let laterLabel: String?
    let laterLink: String?
    let team: String
    let sprint: String

    init(_ message: PushMessage) {
        title = message.title
        body = message.body
        link = message.link
        laterLabel = message.later?.label
        laterLink = message.later?.link
        team = message.teamID.description
        sprint = message.sprintLabel
    }

    /// JSON in UTF-8.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }
}
