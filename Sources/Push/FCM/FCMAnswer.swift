import Foundation
import Shared

/// What `messages:send` answered.
///
/// Judged by FCM's own code first and by the status after it
/// (https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode). A status without a code does not come from the
/// part of FCM that knows devices: it is never taken for a word about one, or a proxy's 404 would remove them all.
struct FCMAnswer {
    /// What to do about it.
    enum Verdict: Equatable {
        case accepted
        /// The access token is not good.
        case unauthenticated
        /// The device's token or the message is not: which of the two FCM did not say.
        case invalidArgument
        case failed(PushError)
    }

    /// `Retry-After` of a 429 that has none
    /// (https://firebase.google.com/docs/cloud-messaging/scale-fcm).
    private static let quotaWait = Duration.seconds(60)

    let answer: PushHTTP.Answer

    /// What to do about it.
    func verdict(at now: Date) -> Verdict {
        let status = answer.status
        if status == 200 {
            // Without a name somebody else has answered: a proxy, a log-in page.
            let accepted = try? JSONDecoder().decode(Accepted.self, from: answer.body)
            return accepted == nil ? .failed(.unavailable("FCM's answer cannot be read (200)")) : .accepted
        }
        let error = (try? JSONDecoder().decode(Refusal.self, from: answer.body))?.error
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

    private func verdictByStatus(_ error: Refusal.Body?, at now: Date) -> Verdict {
        let status = answer.status
        switch status {
        case 400: return invalidArgument(error)
        case 401: return .unauthenticated
        case 403: return .failed(.misconfigured("the service account may not send through FCM (403)"))
        case 404: return .failed(.misconfigured("FCM does not know the project (404)"))
        case 429: return .failed(busy(at: now))
        case 408, 500...599: return .failed(problem(at: now))
        case 300...399: return .failed(.misconfigured("FCM_BASE_URL leads elsewhere (\(status))"))
        default: return .failed(.refused("FCM refused the message (\(status))"))
        }
    }

    /// A violation of `message.token` alone is about the device. One of another field is about the message, and so is
    /// one that comes without FCM's code: the schema's.
    private func invalidArgument(_ error: Refusal.Body?) -> Verdict {
        let fields = error?.violatedFields ?? []
        if !fields.isEmpty, fields.allSatisfy({ $0 == "message.token" }) { return .failed(.unregistered()) }
        if fields.isEmpty, error?.code == .invalidArgument { return .invalidArgument }
        return .failed(.refused("FCM finds the message invalid (400 INVALID_ARGUMENT)"))
    }

    private func busy(at now: Date) -> PushError {
        .unavailable("FCM asks for fewer messages (429)", retryAfter: answer.wait(at: now) ?? Self.quotaWait)
    }

    private func problem(at now: Date) -> PushError {
        .unavailable("FCM has a problem (\(answer.status))", retryAfter: answer.wait(at: now))
    }
}

/// The part of a success that is read.
private struct Accepted: Decodable {
    let name: String
}

/// A refusal (https://cloud.google.com/apis/design/errors): every kind of detail has fields of its own.
private struct Refusal: Decodable {
    let error: Body

    struct Body: Decodable {
        let details: [Detail]?

        /// FCM's own.
        var code: ErrorCode? { details?.compactMap(\.errorCode).compactMap(ErrorCode.init).first }
        /// Paths into the request.
        var violatedFields: [String] { details?.flatMap { $0.fieldViolations ?? [] }.map { $0.field ?? "" } ?? [] }
    }

    struct Detail: Decodable {
        /// Of `google.firebase.fcm.v1.FcmError`.
        let errorCode: String?
        /// Of `google.rpc.BadRequest`.
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
