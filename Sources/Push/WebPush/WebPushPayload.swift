import Foundation
import Shared

/// What the service worker of the web app reads from `event.data.json()`:
///
///     {"title": "…", "body": "…", "link": "https://…", "team": "<32 hexadecimal digits>", "sprint": "2026/23"}
///
/// It shows `title` and `body`, and opens `link` at a tap. With `team` and `sprint` together as a notification's `tag`
/// a second reminder replaces the first. All members are always there; more may be added.
struct WebPushPayload: Encodable {
    let title: String
    let body: String
    let link: String
    let team: String
    let sprint: String

    init(_ message: PushMessage) {
        title = message.title
        body = message.body
        link = message.link
        team = message.teamID.description
        sprint = message.sprintLabel
    }

    /// UTF-8.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }
}
