import Domain
import Foundation
import Ports

/// The body of `messages:send` (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages).
///
/// It is the same for all devices except for the token, whatever they run: FCM uses the part that fits. The API guide
/// (`templates/pages/api.html`) describes to authors of apps what of it they must declare.
struct FCMMessage: Encodable {
    /// Seconds: 28 days, the maximum that FCM stores a message.
    private static let maximumLife = 2_419_200
    /// A channel of the Android app; if the app has no such channel, its default is used.
    private static let channel = "reminders"
    /// The intent that a tap sends on Android. An app that declares no activity for it opens nothing.
    private static let androidAction = "OPEN_VOTE"
    /// The category of the notification on iOS, for which the app declares its buttons.
    private static let category = "VOTE"

    let message: Message

    /// - Throws: `PushError.rejected` for a message that has expired.
    init(_ push: PushMessage, token: String, at now: Date) throws(PushError) {
        let life = min(Self.maximumLife, Int(push.expires.timeIntervalSince(now).rounded(.down)))
        // A lifetime of 0 means "now or never".
        guard life > 0 else { throw .rejected("the message has expired") }
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
                // FCM rejects the whole message if this is not https.
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
        /// A later message with the same tag replaces the visible one.
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
        /// Without it, a message through Firebase would be silent on iOS.
        let sound = "default"
        let category: String
        /// Groups visible messages by team.
        let threadID: String

        enum CodingKeys: String, CodingKey {
            case sound
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
