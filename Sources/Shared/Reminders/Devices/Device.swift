/// A phone or browser that a user gets messages on.
public struct Device: Hashable, Sendable {
    /// A device's identity.
    public typealias ID = Identifier<Device>

    /// What a device runs.
    public enum Platform: String, Sendable, Codable, CaseIterable {
        /// An Android phone.
        case android
        /// An iPhone or iPad.
        case ios
        /// A browser, or the web app on a home screen.
        case web
    }

    /// Where a message for it goes. The services are the ones push drivers are named for.
    public enum Address: Hashable, Sendable {
        /// A registration token of Firebase Cloud Messaging.
        case fcm(token: String)
        /// A device token of Apple's service: hexadecimal digits.
        case apns(token: String)
        /// A browser's subscription (W3C Push API).
        case webPush(WebPushSubscription)

        /// Which service, by the name of its driver.
        public var service: PushService {
            switch self {
            case .fcm: .fcm
            case .apns: .apns
            case .webPush: .webPush
            }
        }
    }

    /// The device's identity.
    public let id: ID
    /// Whose it is.
    public let userID: User.ID
    /// The session it was registered in; it goes when that ends. `nil` for one that an operator's import brought.
    public let sessionID: Session.ID?
    /// Where a message for it goes; no two devices have the same token or endpoint.
    public let address: Address
    /// What it runs.
    public let platform: Platform
    /// The app's version as it says itself, 32 characters at most; `nil` if it does not say.
    public let appVersion: String?
    /// Language of the messages, `en` or `de`.
    public let locale: String
    /// The day it was registered or refreshed last. Clients refresh it about monthly (Firebase, "Best practices for
    /// FCM registration token management").
    public let refreshed: CalendarDay

    /// A device as a store keeps it.
    public init(
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

    /// The same under another id: for a store that has the device.
    func identified(as id: ID) -> Device {
        Device(
            id: id, userID: userID, sessionID: sessionID, address: address, platform: platform,
            appVersion: appVersion, locale: locale, refreshed: refreshed)
    }
}

/// A service that takes messages for devices.
public enum PushService: String, Sendable, Codable, CaseIterable {
    /// Firebase Cloud Messaging, HTTP v1.
    case fcm
    /// Apple Push Notification service.
    case apns
    /// The push service of a browser's vendor (RFC 8030).
    case webPush = "webpush"
}

/// What a browser hands out when a page subscribes: `PushSubscription.toJSON()` of the W3C Push API.
public struct WebPushSubscription: Hashable, Sendable, Codable {
    /// Where messages are posted: an absolute `https` URL that itself is a secret.
    public let endpoint: String
    /// `p256dh`: the browser's public key, an uncompressed point of P-256, 65 bytes (RFC 8291 §3.1).
    public let publicKey: [UInt8]
    /// `auth`: 16 bytes that both sides mix into the key (RFC 8291 §3.2).
    public let authenticationSecret: [UInt8]

    /// A subscription whose parts were validated where they came in.
    public init(endpoint: String, publicKey: [UInt8], authenticationSecret: [UInt8]) {
        self.endpoint = endpoint
        self.publicKey = publicKey
        self.authenticationSecret = authenticationSecret
    }
}
