import Foundation

/// The requests FCM rejects beyond its schema (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages
/// and https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode).
enum FCMRules {
    typealias Violation = FCMSchema.Violation

    /// Maximum bytes of names and values; topics may have half of it.
    private static let maximumSize = 4_096
    /// Seconds: four weeks.
    private static let maximumLife = 2_419_200.0
    private static let targets = ["token", "fid", "topic", "condition"]

    /// - Parameter message: checked by the schema, names in camel case.
    static func check(_ message: JSONValue) throws(Violation) {
        try checkTarget(message)
        try checkSize(message)
        for (path, data) in [
            ("message.data", message["data"]), ("message.android.data", message["android"]?["data"]),
            ("message.webpush.data", message["webpush"]?["data"]),
        ] {
            try checkNames(data, at: path)
        }
        try checkAndroid(message)
        try checkAPNs(message)
        if let link = message["webpush"]?["fcmOptions"]?["link"]?.text, !link.hasPrefix("https://") {
            throw Violation(field: "message.webpush.fcm_options.link", description: "The link must be an HTTPS URL")
        }
    }

    private static func checkTarget(_ message: JSONValue) throws(Violation) {
        let given = targets.filter { message[$0]?.text?.isEmpty == false }
        guard given.count == 1 else {
            throw Violation(field: "message", description: "Exactly one recipient of the message must be set")
        }
        if let topic = message["topic"]?.text, topic.wholeMatch(of: /[A-Za-z0-9\-_.~%]+/) == nil {
            throw Violation(field: "message.topic", description: "Invalid topic name")
        }
    }

    private static func checkSize(_ message: JSONValue) throws(Violation) {
        guard case .object(let fields) = message else { return }
        let size = fields.filter { !targets.contains($0.key) }.reduce(0) { $0 + $1.key.utf8.count + $1.value.size }
        let limit = fields["topic"] == nil ? maximumSize : maximumSize / 2
        guard size <= limit else {
            throw Violation(field: "message", description: "Message too big: \(size) bytes")
        }
    }

    private static func checkNames(_ data: JSONValue?, at path: String) throws(Violation) {
        guard case .object(let fields) = data else { return }
        for name in fields.keys.sorted()
        where ["from", "message_type", "gcm"].contains(name) || name.hasPrefix("google") || name.hasPrefix("gcm.") {
            throw Violation(field: path, description: "Invalid data payload key: \(name)")
        }
    }

    private static func checkAndroid(_ message: JSONValue) throws(Violation) {
        guard message["android"] == nil || message["androidV2"] == nil else {
            throw Violation(field: "message", description: "Only one of android and android_v2 may be set")
        }
        let path = message["android"] == nil ? "message.android_v2" : "message.android"
        let android = message["android"] ?? message["androidV2"]
        if let ttl = android?["ttl"]?.text {
            let seconds = Double(ttl.dropLast()) ?? -1
            guard (0...maximumLife).contains(seconds) else {
                throw Violation(field: "\(path).ttl", description: "Invalid ttl: \(ttl)")
            }
        }
        let notification = android?["notification"] ?? android?["remoteNotification"]?["notification"]
        if let color = notification?["color"]?.text, color.wholeMatch(of: /#[0-9A-Fa-f]{6}/) == nil {
            throw Violation(field: "\(path).notification.color", description: "Invalid color: \(color)")
        }
    }

    private static func checkAPNs(_ message: JSONValue) throws(Violation) {
        let headers = message["apns"]?["headers"]
        let priority = headers?["apns-priority"]?.text
        guard priority.map({ ["1", "5", "10"].contains($0) }) ?? true else {
            throw Violation(field: "message.apns.headers", description: "Invalid apns-priority")
        }
        // A message with nothing to show is a background message.
        let isShown = message["notification"] != nil || message["apns"]?["payload"]?["aps"]?["alert"] != nil
        guard isShown || priority != "10" else {
            throw Violation(field: "message.apns.headers", description: "A data message takes apns-priority 5")
        }
        if let expiration = headers?["apns-expiration"]?.text, Int(expiration) == nil {
            throw Violation(field: "message.apns.headers", description: "Invalid apns-expiration")
        }
        guard (headers?["apns-collapse-id"]?.text?.utf8.count ?? 0) <= 64 else {
            throw Violation(field: "message.apns.headers", description: "apns-collapse-id is longer than 64 bytes")
        }
        if let payload = message["apns"]?["payload"], let aps = payload["aps"] {
            guard case .object = aps else {
                throw Violation(field: "message.apns.payload", description: "aps is no object")
            }
        }
    }
}
