/// A refusal that its cause may be told about: what a service or a store throws when it knows what is wrong.
///
/// Everything else that is thrown is a fault: people read "Internal error", operators one error line.
public struct AppError: Error, Equatable, Sendable {
    /// What kind of refusal; HappinessAPI alone turns it into a status.
    public enum Code: String, Sendable, CaseIterable {
        /// The request could not be read: wrong type, missing field, malformed JSON.
        case malformed
        /// Nobody, or nobody we know, is asking.
        case unauthenticated
        /// Known, but not allowed.
        case forbidden
        /// Not there, or nothing that the one who asks may know of.
        case notFound
        /// At odds with what is stored: the second vote, a name that is taken.
        case conflict
        /// The request takes too long to arrive.
        case tooSlow
        /// More bytes than the route takes.
        case tooLarge
        /// A body of a kind the route does not read.
        case unsupportedMediaType
        /// Well-formed, but against a rule: out of range, a closed sprint.
        case refused
        /// Too often; `retryAfter` says when to come back.
        case tooManyRequests
        /// A part we need is away; `retryAfter` says when to come back.
        case unavailable
    }

    /// What kind of refusal this is.
    public let code: Code
    /// A sentence that may be shown to anybody: no secret, no personal value, no driver's words.
    public let message: String
    /// The rule that refused, for programs: kebab-case, e.g. `already-voted`. It ends the `type` of a problem document.
    public let reason: String
    /// Seconds until it makes sense to ask again.
    public let retryAfter: Int?

    /// - Parameter reason: kebab-case; by default the code's own name.
    public init(_ code: Code, _ message: String, reason: String? = nil, retryAfter: Int? = nil) {
        self.code = code
        self.message = message
        self.reason = reason ?? code.defaultReason
        self.retryAfter = retryAfter
    }
}

extension AppError.Code {
    /// The `reason` of a refusal that has no more exact one.
    var defaultReason: String {
        switch self {
        case .malformed: "malformed"
        case .unauthenticated: "unauthenticated"
        case .forbidden: "forbidden"
        case .notFound: "not-found"
        case .conflict: "conflict"
        case .tooSlow: "too-slow"
        case .tooLarge: "too-large"
        case .unsupportedMediaType: "unsupported-media-type"
        case .refused: "refused"
        case .tooManyRequests: "too-many-requests"
        case .unavailable: "unavailable"
        }
    }
}

extension AppError {
    /// The store cannot be reached: 503 with `Retry-After`, and nothing was stored.
    public static let storeUnavailable = AppError(
        .unavailable, "The service cannot reach its data right now. Please try again in a moment.",
        reason: "store-unavailable", retryAfter: 2)
}
