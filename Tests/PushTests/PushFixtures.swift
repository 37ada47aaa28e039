import Domain
import Foundation

/// The messages that the tests of this target send.
enum PushFixtures {
    /// Monday, 16 November 2026, 08:05 UTC.
    static let date = Date(timeIntervalSince1970: 1_794_816_300)

    /// A reminder that expires in three days.
    static func message(
        title: String = "Time to vote", body: String = "How was sprint 2026/23?",
        link: String = "https://happiness.example.org/vote", later: PushMessage.Later? = nil,
        expires: Date = date.addingTimeInterval(3 * 86_400)
    ) -> PushMessage {
        PushMessage(
            title: title, body: body, link: link, later: later, teamID: Team.ID.random(),
            sprintLabel: "2026/23", collapseKey: "vote202623", expires: expires)
    }
}
