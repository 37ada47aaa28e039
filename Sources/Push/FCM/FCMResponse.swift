import Foundation
import Outbound
import Ports

/// The response of `messages:send`.
///
/// It is judged by FCM's error code first and by the status second
/// (https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode). A status without a code does not come from the
/// part of FCM that knows devices, so it never affects a device: otherwise a proxy's 404 would remove all of them.
struct FCMResponse {
    /// The result for the driver.
    enum Verdict: Equatable {
        case accepted
        /// The access token is not valid.
        case unauthenticated
        /// Either the device's token or the message is invalid: FCM did not say which.
        case invalidArgument
        case failed(PushError)
    }

    /// Wait after a 429 without `Retry-After` (https://firebase.google.com/docs/cloud-messaging/scale-fcm).
    private static let quotaWait = Duration.seconds(60)

    let response: BoundedExchange.Response

    /// The result of a response.
    func verdict(at now: Date) -> Verdict {
        let status = response.status
        if status == 200 {
            // A response without a name is not from FCM, but from a proxy or a login page.
            let accepted = try? JSONDecoder().decode(Accepted.self, from: response.body)
            return accepted == nil ? .failed(.unavailable("FCM's answer cannot be read (200)")) : .accepted
        }
        let error = (try? JSONDecoder().decode(Rejection.self, from: response.body))?.error
        switch error?.code {
        case .unregistered: return .failed(.unregistered())
        case .senderIDMismatch:
            let code = "\(status) SENDER_ID_MISMATCH"
            return .failed(.notOurs("FCM knows the device by another project than the service account's (\(code))"))
        case .thirdPartyAuthenticationError:
            let code = "\(status) THIRD_PARTY_AUTH_ERROR"
            return .failed(.misconfigured("FCM has no valid key for APNs or web push (\(code))"))
        case .quotaExceeded: return .failed(busy(at: now))
        case .unavailable, .internalError: return .failed(problem(at: now))
        case .invalidArgument: return invalidArgument(error)
        case nil: return verdictByStatus(error, at: now)
        }
    }

    private func verdictByStatus(_ error: Rejection.Body?, at now: Date) -> Verdict {
        let status = response.status
        switch status {
        case 400: return invalidArgument(error)
        case 401: return .unauthenticated
        case 403: return .failed(.misconfigured("the service account may not send through FCM (403)"))
        case 404: return .failed(.misconfigured("FCM does not know the project (404)"))
        case 429: return .failed(busy(at: now))
        case 408, 500...599: return .failed(problem(at: now))
        case 300...399: return .failed(.misconfigured("FCM_BASE_URL leads elsewhere (\(status))"))
        default: return .failed(.rejected("FCM refused the message (\(status))"))
        }
    }

    /// Only a violation of `message.token` concerns the device. A violation of another field concerns the message, and
    /// so does one without FCM's code, which is a schema error.
    private func invalidArgument(_ error: Rejection.Body?) -> Verdict {
        let fields = error?.violatedFields ?? []
        if !fields.isEmpty, fields.allSatisfy({ $0 == "message.token" }) { return .failed(.unregistered()) }
        if fields.isEmpty, error?.code == .invalidArgument { return .invalidArgument }
        return .failed(.rejected("FCM finds the message invalid (400 INVALID_ARGUMENT)"))
    }

    private func busy(at now: Date) -> PushError {
        .unavailable("FCM asks for fewer messages (429)", retryAfter: response.wait(at: now) ?? Self.quotaWait)
    }

    private func problem(at now: Date) -> PushError {
        .unavailable("FCM has a problem (\(response.status))", retryAfter: response.wait(at: now))
    }
}

/// The relevant part of a success response.
private struct Accepted: Decodable {
    let name: String
}

/// An error response (https://cloud.google.com/apis/design/errors): each type of detail has its own fields.
private struct Rejection: Decodable {
    let error: Body

    struct Body: Decodable {
        let details: [Detail]?

        /// FCM's own error code.
        var code: ErrorCode? { details?.compactMap(\.errorCode).compactMap(ErrorCode.init).first }
        /// Paths into the request.
        var violatedFields: [String] { details?.flatMap { $0.fieldViolations ?? [] }.map { $0.field ?? "" } ?? [] }
    }

    struct Detail: Decodable {
        /// Field of `google.firebase.fcm.v1.FcmError`.
        let errorCode: String?
        /// Field of `google.rpc.BadRequest`.
        let fieldViolations: [Violation]?
    }

    struct Violation: Decodable {
        let field: String?
    }

    enum ErrorCode: String {
        case unregistered = "UNREGISTERED"
        case senderIDMismatch = "SENDER_ID_MISMATCH"
        case invalidArgument = "INVALID_ARGUMENT"
        case quotaExceeded = "QUOTA_EXCEEDED"
        case unavailable = "UNAVAILABLE"
        case internalError = "INTERNAL"
        case thirdPartyAuthenticationError = "THIRD_PARTY_AUTH_ERROR"
    }
}
