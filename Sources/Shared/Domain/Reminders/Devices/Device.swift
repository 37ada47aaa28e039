/// A phone or browser on which a user gets push messages.
package struct Device: Hashable, Sendable {
    /// Identifies a device.
    package typealias ID = Identifier<Device>

    /// The platform of a device.
    package enum Platform: String, Sendable, Codable, CaseIterable {
        /// An Android phone.
        case android
        /// An iPhone or iPad.
        case ios
        /// A browser, or the web app on a home screen.
        case web
    }

    /// The destination of a message. The cases match the push drivers.
    package enum Address: Hashable, Sendable {
        /// A registration token of Firebase Cloud Messaging.
        case fcm(token: String)
        /// A device token of Apple's service: hexadecimal digits.
        case apns(token: String)
        /// A browser's subscription (W3C Push API).
        case webPush(WebPushSubscription)

        /// The push service, by the name of its driver.
        package var service: PushService {
            switch self {
            case .fcm: .fcm
            case .apns: .apns
            case .webPush: .webPush
            }
        }
    }

    /// Kept when the same user registers the device again.
    package let id: ID
    /// The user who owns the device.
    package let userID: User.ID
    /// The session it was registered in; the device is removed when that ends. `nil` for a device imported by an
    /// operator.
    package let sessionID: Session.ID?
    /// The destination of its messages; no two devices have the same token or endpoint.
    package let address: Address
    /// The device's platform.
    package let platform: Platform
    /// The app's version as reported by the app, at most 32 characters; `nil` if it does not send it.
    package let appVersion: String?
    /// Language of the messages, `en` or `de`.
    package let locale: String
    /// The day it was last registered or refreshed. Clients refresh it about monthly (Firebase, "Best practices for FCM
    /// registration token management").
    package let refreshed: CalendarDay

    /// Creates a device as a store keeps it.
    package init(
        id: ID = .random(), userID: User.ID, sessionID: Session.ID?, address: Address, platform: Platform,
        appVersion: String?, locale: String, refreshed: CalendarDay
    ) {
        self.id = id
        self.userID = userID
        self.sessionID = sessionID
        self.address = address
        self.platform = platform
        self.appVersion = appVersion
        self.locale = locale
        self.refreshed = refreshed
    }

    /// A copy under another id, for a store that already has the device.
    package func identified(as id: ID) -> Device {
        Device(
            id: id, userID: userID, sessionID: sessionID, address: address, platform: platform,
            appVersion: appVersion, locale: locale, refreshed: refreshed)
    }
}

/// A service that delivers push messages to devices.
package enum PushService: String, Sendable, Codable, CaseIterable {
    /// Firebase Cloud Messaging, HTTP v1.
    case fcm
    /// Apple Push Notification service.
    case apns
    /// The push service of a browser's vendor (RFC 8030).
    case webPush = "webpush"
}

/// The data a browser returns when a page subscribes: `PushSubscription.toJSON()` of the W3C Push API.
package struct WebPushSubscription: Hashable, Sendable, Codable {
    /// The URL to which messages are posted: absolute, `https`, and itself a secret.
    package let endpoint: String
    /// `p256dh`: the browser's public key, an uncompressed point of P-256, 65 bytes (RFC 8291 §3.1).
    package let publicKey: [UInt8]
    /// `auth`: 16 bytes that both sides mix into the key (RFC 8291 §3.2).
    package let authenticationSecret: [UInt8]

    /// Takes parts that were validated on arrival.
    package init(endpoint: String, publicKey: [UInt8], authenticationSecret: [UInt8]) {
        self.endpoint = endpoint
        self.publicKey = publicKey
        self.authenticationSecret = authenticationSecret
    }
}
