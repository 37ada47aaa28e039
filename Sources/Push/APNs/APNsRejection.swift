import Foundation
import Outbound
import Ports

/// Apple's reason for rejecting a message
/// (https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns).
struct APNsRejection {
    private struct Body: Decodable {
        let reason: String
        /// Milliseconds since 1970: when Apple learned that the token is no longer valid. Only with 410.
        let timestamp: Double?
    }

    /// The error's code; `nil` if the body has none.
    let reason: String?
    private let since: Date?

    /// Parses a response other than 200.
    init(_ response: BoundedExchange.Response) {
        // An unreadable body is treated as missing: the status says the same with less detail.
        let body = try? JSONDecoder().decode(Body.self, from: response.body)
        // Shown to operators, so it must look like a code.
        reason = body.flatMap { $0.reason.wholeMatch(of: /[A-Za-z]{1,40}/) == nil ? nil : $0.reason }
        since = body?.timestamp.map { Date(timeIntervalSince1970: $0 / 1_000) }
    }

    /// The resulting error.
    func error(status: Int, wait: Duration?) -> PushError {
        let told = reason.map { "\(status) \($0)" } ?? "\(status)"
        switch (status, reason) {
        case (410, _): return .unregistered(since: since)
        // The token is invalid, or belongs to the other environment.
        case (400, "BadDeviceToken"):
            return .notOurs("APNs knows no such device: is APNS_BASE_URL the one of the app's build? (\(told))")
        case (400, "DeviceTokenNotForTopic"):
            return .notOurs("APNs knows the device by another app than APNS_TOPIC (\(told))")
        case (400, "BadTopic"), (400, "MissingTopic"), (400, "TopicDisallowed"):
            return .misconfigured("APNs does not take APNS_TOPIC (\(told))")
        case (403, "ExpiredProviderToken"):
            return .misconfigured("APNs finds a new token expired: is this machine's clock right? (\(told))")
        case (403, _): return .misconfigured("APNs does not accept the key, its id or the team's (\(told))")
        case (429, _): return .unavailable("APNs asks for fewer messages (\(told))", retryAfter: wait)
        case (408, _), (500...599, _): return .unavailable("APNs has a problem (\(told))", retryAfter: wait)
        default: return .rejected("APNs refused the message (\(told))")
        }
    }
}
