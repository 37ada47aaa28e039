package import Domain
import Foundation

/// How push messages reach devices.
package struct PushSettings: Sendable {
    /// The push drivers by their names in `PUSH_DRIVERS`.
    package enum Driver: String, Sendable, CaseIterable {
        /// A log line, for every service without a driver of its own.
        case log
        /// Firebase Cloud Messaging.
        case fcm
        /// Apple Push Notification service.
        case apns
        /// The push services of browsers.
        case webPush = "webpush"
    }

    /// The configured drivers, at least one.
    package let drivers: Set<Driver>
    /// Set if `fcm` is configured.
    package let fcm: FCMSettings?
    /// Set if `apns` is configured.
    package let apns: APNsSettings?
    /// Set if `webpush` is configured.
    package let webPush: WebPushSettings?
    /// The maximum sending rate.
    package let rate: PushRate

    /// By default `webpush`, and `log` for every other service.
    /// - Parameter hasVAPIDKey: whether there is, or can be, a key for `webpush`; without it the default is `log` alone.
    package init(reader: SettingsReader, publicURL: String, sender: MailAddress, hasVAPIDKey: Bool) {
        let standard = hasVAPIDKey ? [Driver.log, .webPush] : [.log]
        let names = reader.list("PUSH_DRIVERS", default: standard.map(\.rawValue).joined(separator: ","))
        let chosen = names.compactMap { Driver(rawValue: $0) }
        if names.isEmpty || Set(chosen).count != names.count {
            let known = Driver.allCases.map(\.rawValue).joined(separator: ", ")
            reader.refuse("PUSH_DRIVERS", expectation: "one or more of these, separated by commas: \(known)")
        }
        drivers = Set(chosen)
        if drivers.contains(.webPush), !hasVAPIDKey {
            reader.refuse(
                "VAPID_PRIVATE_KEY", expectation: "set for webpush with MongoDB, and the same for every process")
        }
        // All of them are read, so that a mistake is reported now and not on the day a driver is added.
        let fcm = FCMSettings(reader: reader, isNeeded: drivers.contains(.fcm))
        let apns = APNsSettings(reader: reader, isNeeded: drivers.contains(.apns))
        let webPush = WebPushSettings(reader: reader, publicURL: publicURL, sender: sender)
        self.fcm = drivers.contains(.fcm) ? fcm : nil
        self.apns = drivers.contains(.apns) ? apns : nil
        self.webPush = drivers.contains(.webPush) ? webPush : nil
        rate = PushRate(reader: reader)
    }

    /// The keys of these settings.
    package static let keys: Set<String> = [
        "PUSH_DRIVERS", "PUSH_RAMP_SECONDS", "PUSH_REQUESTS_PER_SECOND", "FCM_SERVICE_ACCOUNT_FILE", "FCM_BASE_URL",
        "APNS_KEY_FILE", "APNS_KEY_ID", "APNS_TEAM_ID", "APNS_TOPIC", "APNS_BASE_URL", "VAPID_SUBJECT",
        "VAPID_PRIVATE_KEY", "WEBPUSH_ALLOWED_HOSTS",
    ]

    /// Those whose values are secret.
    package static let secretKeys: Set<String> = ["VAPID_PRIVATE_KEY"]
}

/// The maximum sending rate of a process.
package struct PushRate: Sendable, Equatable {
    /// Requests per second to all services together, including retries.
    package let requestsPerSecond: Int
    /// Time in which a burst rises from zero to the full rate; zero for none.
    package let ramp: Duration

    /// By default half of FCM's quota, with its recommended ramp.
    /// - Parameter requestsPerSecond: at least 1.
    package init(requestsPerSecond: Int = 5_000, ramp: Duration = .seconds(60)) {
        self.requestsPerSecond = max(1, requestsPerSecond)
        self.ramp = max(.zero, ramp)
    }

    /// FCM's quota is 600,000 messages per minute and project; half of it leaves room for a second process
    /// (https://firebase.google.com/docs/cloud-messaging/throttling-and-quotas). FCM requires a ramp of 60 s or more
    /// (https://firebase.google.com/docs/cloud-messaging/scale-fcm).
    init(reader: SettingsReader) {
        self.init(
            requestsPerSecond: reader.integer("PUSH_REQUESTS_PER_SECOND", default: 5_000, in: 1...10_000),
            ramp: .seconds(reader.integer("PUSH_RAMP_SECONDS", default: 60, in: 0...3_600)))
    }
}

/// A Firebase Cloud Messaging project.
package struct FCMSettings: Sendable {
    /// JSON file with the key of a service account. It names the project and the token endpoint.
    package let serviceAccountFile: String
    /// Scheme, host and port, without a trailing slash.
    package let baseURL: String

    /// Takes validated values.
    package init(serviceAccountFile: String, baseURL: String) {
        self.serviceAccountFile = serviceAccountFile
        self.baseURL = baseURL
    }

    init(reader: SettingsReader, isNeeded: Bool) {
        let file = reader.text("FCM_SERVICE_ACCOUNT_FILE", default: "")
        if isNeeded, file.isEmpty {
            reader.refuse(
                "FCM_SERVICE_ACCOUNT_FILE", expectation: "the path of a service account's JSON file for fcm")
        }
        self.init(
            serviceAccountFile: file,
            baseURL: reader.baseURL("FCM_BASE_URL", default: "https://fcm.googleapis.com", path: .empty))
    }
}

/// A key for Apple's service, and the app that receives the messages.
package struct APNsSettings: Sendable {
    /// The key file as issued by Apple: `AuthKey_KEYID.p8`.
    package let keyFile: String
    /// The key's id, 10 characters.
    package let keyID: String
    /// The developer team's id, 10 characters.
    package let teamID: String
    /// The app's bundle id.
    package let topic: String
    /// Scheme, host and port, without a trailing slash.
    package let baseURL: String

    /// Takes validated values.
    package init(keyFile: String, keyID: String, teamID: String, topic: String, baseURL: String) {
        self.keyFile = keyFile
        self.keyID = keyID
        self.teamID = teamID
        self.topic = topic
        self.baseURL = baseURL
    }

    init(reader: SettingsReader, isNeeded: Bool) {
        func text(_ key: String, _ pattern: Regex<Substring>, _ expectation: String) -> String {
            let value = reader.text(key, default: "")
            if value.wholeMatch(of: pattern) == nil, isNeeded || !value.isEmpty {
                reader.refuse(key, expectation: expectation)
            }
            return value
        }
        self.init(
            keyFile: text("APNS_KEY_FILE", /.+/, "the path of Apple's key file for apns: AuthKey_….p8"),
            keyID: text("APNS_KEY_ID", /[A-Z0-9]{10}/, "the key's id of 10 capitals and digits"),
            teamID: text("APNS_TEAM_ID", /[A-Z0-9]{10}/, "the team's id of 10 capitals and digits"),
            topic: text("APNS_TOPIC", /[A-Za-z0-9.\-]+/, "the app's bundle id, like org.example.happiness"),
            baseURL: reader.baseURL("APNS_BASE_URL", default: "https://api.push.apple.com", path: .empty))
    }
}

/// The sender of messages to browsers. The key pair is one of the secrets: `Secrets.vapid`.
package struct WebPushSettings: Sendable {
    /// The contact for a browser's vendor in case of problems: a `mailto:` or `https:` URI (RFC 8292 §2.1).
    package let subject: String
    /// The push services to which messages may be posted.
    package let policy: WebPushPolicy

    /// Takes validated values.
    package init(subject: String, policy: WebPushPolicy = .standard) {
        self.subject = subject
        self.policy = policy
    }

    /// By default `PUBLIC_URL`, or the sender of mails if that is not `https`.
    init(reader: SettingsReader, publicURL: String, sender: MailAddress) {
        let standard = publicURL.hasPrefix("https:") ? publicURL : "mailto:\(sender.email.text)"
        subject = reader.text("VAPID_SUBJECT", default: standard)
        let isMail = subject.wholeMatch(of: /mailto:[^@\s]+@[^@\s]+/) != nil
        if !isMail, !subject.hasPrefix("https://") || URLComponents(string: subject)?.host?.isEmpty != false {
            reader.refuse(
                "VAPID_SUBJECT", expectation: "mailto:somebody@example.org or a URL like https://example.org")
        }
        policy = reader.parsed(default: .standard) { () throws(SettingsError) in
            guard let text = reader.optionalText("WEBPUSH_ALLOWED_HOSTS") else { return .standard }
            return try WebPushPolicy(setting: text)
        }
    }
}
