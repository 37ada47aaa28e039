import Foundation
import Shared

/// The body of `messages:send` (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages).
///
/// The same for every device but for its token, whatever it runs: FCM takes the part that fits.
struct FCMMessage: Encodable {
    /// Seconds: 28 days, the longest FCM keeps a message.
    private static let maximumLife = 2_419_200
    /// A channel of the Android app; one it does not have falls back to its default.
    private static let channel = "reminders"
    /// Opens the vote: an intent on Android, a category of notifications on iOS.
    private static let androidAction = "OPEN_VOTE"
    private static let category = "VOTE"

    let message: Message

    /// - Throws: `PushError.refused` for a message that has expired.
    init(_ push: PushMessage, token: String, at now: Date) throws(PushError) {
        let life = min(Self.maximumLife, Int(push.expires.timeIntervalSince(now).rounded(.down)))
        // A life of 0 means "now or never".
        guard life > 0 else { throw .refused("the message has expired") }
        message = Message(
            token: token,
            notification: Notification(title: push.title, body: push.body),
            data: [
                "kind": "vote", "teamID": push.teamID.description, "sprint": push.sprintLabel, "link": push.link,
            ],
            android: Android(
                ttl: "\(life)s", collapseKey: push.collapseKey, priority: "HIGH",
                notification: AndroidNotification(
                    channelId: Self.channel, clickAction: Self.androidAction, tag: push.collapseKey)),
            apns: APNs(
                headers: [
                    "apns-expiration": "\(Int(push.expires.timeIntervalSince1970))",
                    "apns-collapse-id": push.collapseKey, "apns-priority": "10",
                ],
                payload: APNsPayload(aps: APS(category: Self.category, threadID: push.teamID.description))),
            webpush: WebPush(
                headers: ["TTL": "\(life)"],
                // Anything but https is refused, and with it the whole message.
                fcmOptions: push.link.hasPrefix("https://") ? WebPushOptions(link: push.link) : nil))
    }
}

extension FCMMessage {
    struct Message: Encodable {
        let token: String
        let notification: Notification
        let data: [String: String]
        let android: Android
        let apns: APNs
        let webpush: WebPush
    }

    struct Notification: Encodable {
        let title: String
        let body: String
    }

    struct Android: Encodable {
        let ttl: String
        let collapseKey: String
        let priority: String
        let notification: AndroidNotification
    }

    struct AndroidNotification: Encodable {
        let channelId: String
        let clickAction: String
        /// A further message with it takes the place of the one that shows.
        let tag: String
    }

    struct APNs: Encodable {
        let headers: [String: String]
        let payload: APNsPayload
    }

    struct APNsPayload: Encodable {
        let aps: APS
    }

    struct APS: Encodable {
        let category: String
        /// Groups what shows by team.
        let threadID: String

        enum CodingKeys: String, CodingKey {
            case category
            case threadID = "thread-id"
        }
    }

    struct WebPush: Encodable {
        let headers: [String: String]
        let fcmOptions: WebPushOptions?
    }

    struct WebPushOptions: Encodable {
        let link: String
    }
}
