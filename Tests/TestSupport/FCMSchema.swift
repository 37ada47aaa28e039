/// The fields of `messages:send`, from Google's discovery document `fcm.v1.json`, revision 20261023.
enum FCMSchema {
    /// The type of a field.
    indirect enum Kind: Sendable {
        case string
        case boolean
        case integer
        case number
        /// Seconds with up to nine decimal places: `3.5s`.
        case duration
        case timestamp
        case choice(Set<String>)
        case list(Kind)
        /// Strings by name.
        case texts
        /// Any values by name.
        case anything
        case message(String)
    }

    /// Fields by the name of their message.
    static let messages: [String: [String: Kind]] = [
        "SendMessageRequest": ["message": .message("Message"), "validateOnly": .boolean],
        "Message": [
            "name": .string, "token": .string, "fid": .string, "topic": .string, "condition": .string, "data": .texts,
            "notification": .message("Notification"), "android": .message("AndroidConfig"),
            "androidV2": .message("AndroidConfigV2"), "apns": .message("ApnsConfig"),
            "webpush": .message("WebpushConfig"), "fcmOptions": .message("Options"),
        ],
        "Notification": ["title": .string, "body": .string, "image": .string],
        "Options": ["analyticsLabel": .string],
        "AndroidConfig": androidCommon.merging([
            "priority": .choice(["NORMAL", "HIGH"]), "notification": .message("AndroidNotification"),
        ]) { $1 },
        "AndroidConfigV2": androidCommon.merging([
            "backgroundSync": .message("Empty"), "remoteNotification": .message("AndroidRemoteNotification"),
        ]) { $1 },
        "AndroidRemoteNotification": [
            "mutableContent": .boolean, "useAsV1DataMessage": .boolean,
            "notification": .message("AndroidNotificationV2"),
        ],
        "Empty": [:],
        "AndroidNotification": androidNotification.merging([
            "bypassProxyNotification": .boolean,
            "proxy": .choice(["PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"]),
        ]) { $1 },
        "AndroidNotificationV2": androidNotification.merging(["id": .integer]) { $1 },
        "LightSettings": [
            "color": .message("Color"), "lightOffDuration": .duration, "lightOnDuration": .duration,
        ],
        "Color": ["red": .number, "green": .number, "blue": .number, "alpha": .number],
        "ApnsConfig": [
            "headers": .texts, "payload": .anything, "fcmOptions": .message("ApnsOptions"),
            "liveActivityToken": .string,
        ],
        "ApnsOptions": ["analyticsLabel": .string, "image": .string],
        "WebpushConfig": [
            "headers": .texts, "data": .texts, "notification": .anything, "fcmOptions": .message("WebpushOptions"),
        ],
        "WebpushOptions": ["link": .string, "analyticsLabel": .string],
    ]

    private static let androidCommon: [String: Kind] = [
        "bandwidthConstrainedOk": .boolean, "collapseKey": .string, "data": .texts, "directBootOk": .boolean,
        "fcmOptions": .message("Options"), "restrictedPackageName": .string, "restrictedSatelliteOk": .boolean,
        "ttl": .duration,
    ]

    private static let androidNotification: [String: Kind] = [
        "title": .string, "body": .string, "icon": .string, "color": .string, "sound": .string, "tag": .string,
        "clickAction": .string, "bodyLocKey": .string, "bodyLocArgs": .list(.string), "titleLocKey": .string,
        "titleLocArgs": .list(.string), "channelId": .string, "ticker": .string, "sticky": .boolean,
        "eventTime": .timestamp, "localOnly": .boolean, "defaultSound": .boolean, "defaultVibrateTimings": .boolean,
        "defaultLightSettings": .boolean, "vibrateTimings": .list(.duration), "image": .string,
        "visibility": .choice(["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"]),
        "notificationPriority": .choice([
            "PRIORITY_UNSPECIFIED", "PRIORITY_MIN", "PRIORITY_LOW", "PRIORITY_DEFAULT", "PRIORITY_HIGH",
            "PRIORITY_MAX",
        ]),
        "notificationCount": .integer, "lightSettings": .message("LightSettings"),
    ]
}

extension FCMSchema {
    /// An error in a body, described like Google's JSON parser does.
    struct Violation: Error, Equatable {
        let field: String
        let description: String
    }

    /// Checks a value, and returns it with field names in camel case: both spellings are accepted.
    static func check(_ value: JSONValue, is kind: Kind, at path: String) throws(Violation) -> JSONValue {
        switch (kind, value) {
        case (_, .null), (.string, .string), (.boolean, .boolean), (.number, .number), (.anything, .object):
            return value
        case (.integer, .number(let number)) where number == number.rounded(): return value
        case (.duration, .string(let text)) where text.wholeMatch(of: /-?[0-9]+(\.[0-9]{1,9})?s/) != nil: return value
        case (.timestamp, .string(let text)) where text.wholeMatch(of: /[0-9\-]{10}T[0-9:.]{8,}Z/) != nil: return value
        case (.choice(let names), .string(let text)) where names.contains(text): return value
        case (.list(let kind), .array(let values)):
            var checked: [JSONValue] = []
            for (index, value) in values.enumerated() {
                checked.append(try check(value, is: kind, at: "\(path)[\(index)]"))
            }
            return .array(checked)
        case (.texts, .object(let fields)):
            for (index, field) in fields.sorted(by: { $0.key < $1.key }).enumerated() where field.value.text == nil {
                throw wrongType("\(path)[\(index)].value", "TYPE_STRING")
            }
            return value
        case (.message(let name), .object(let fields)):
            return .object(try check(fields, of: messages[name] ?? [:], at: path))
        default: throw wrongType(path, "\(kind)")
        }
    }

    private static func check(
        _ fields: [String: JSONValue], of known: [String: Kind], at path: String
    ) throws(Violation) -> [String: JSONValue] {
        var checked: [String: JSONValue] = [:]
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            let camel = camelCase(name)
            guard let kind = known[camel] else {
                let place = path.isEmpty ? "" : " at '\(path)'"
                throw Violation(
                    field: path,
                    description: "Invalid JSON payload received. Unknown name \"\(name)\"\(place): Cannot find field.")
            }
            guard checked[camel] == nil else {
                throw Violation(field: path, description: "Invalid JSON payload received. \(name) comes twice.")
            }
            let fieldPath = path.isEmpty ? snakeCase(camel) : "\(path).\(snakeCase(camel))"
            checked[camel] = try check(value, is: kind, at: fieldPath)
        }
        return checked
    }

    private static func wrongType(_ path: String, _ type: String) -> Violation {
        Violation(field: path, description: "Invalid value at '\(path)' (\(type))")
    }

    private static func camelCase(_ name: String) -> String {
        let parts = name.split(separator: "_", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(String(parts.first ?? "")) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }

    private static func snakeCase(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
    }
}
