/// An expected error with a message for the user: thrown by a service or a store that knows the cause.
///
/// Every other error is internal: users see "Internal error", operators one error line.
package struct AppError: Error, Equatable, Sendable {
    /// The kind of error; only HappinessAPI maps it to a status.
    package enum Code: String, Sendable, CaseIterable {
        /// The request could not be parsed: wrong type, missing field, malformed JSON.
        case malformed
        /// The caller is not logged in, or unknown.
        case unauthenticated
        /// The caller is known, but not allowed.
        case forbidden
        /// The object does not exist, or the caller must not know that it does.
        case notFound
        /// The request conflicts with stored data: a second vote, a name that is taken.
        case conflict
        /// The request takes too long to arrive.
        case tooSlow
        /// The body is larger than the route accepts.
        case tooLarge
        /// The route does not support the body's media type.
        case unsupportedMediaType
        /// The request is well-formed, but violates a rule: out of range, a closed sprint.
        case unprocessable = "refused"
        /// Too many requests; `retryAfter` says when to retry.
        case tooManyRequests
        /// A required part is unavailable; `retryAfter` says when to retry.
        case unavailable
    }

    /// The kind of error.
    package let code: Code
    /// A sentence that is safe to show to anyone: no secret, no personal value, no driver's text.
    package let sentence: Sentence
    /// The sentence in English.
    package var message: String { sentence.english }
    /// The violated rule, for programs.
    package let reason: Reason
    /// Seconds until a retry makes sense.
    package let retryAfter: Int?

    /// - Parameters:
    ///   - sentence: in English; its translations are in the section `api` of `templates/messages`.
    ///   - reason: by default the code's own.
    package init(_ code: Code, _ sentence: Sentence, reason: Reason? = nil, retryAfter: Int? = nil) {
        self.code = code
        self.sentence = sentence
        self.reason = reason ?? code.defaultReason
        self.retryAfter = retryAfter
    }
}

extension AppError.Code {
    /// The `reason` of an error without a more specific one.
    var defaultReason: AppError.Reason {
        switch self {
        case .malformed: .malformed
        case .unauthenticated: .unauthenticated
        case .forbidden: .forbidden
        case .notFound: .notFound
        case .conflict: .conflict
        case .tooSlow: .tooSlow
        case .tooLarge: .tooLarge
        case .unsupportedMediaType: .unsupportedMediaType
        case .unprocessable: .refused
        case .tooManyRequests: .tooManyRequests
        case .unavailable: .unavailable
        }
    }
}

extension AppError {
    /// The store cannot be reached: 503 with `Retry-After`. Nothing was stored, unless the store's answer to a commit was
    /// lost; then the same request finds out.
    package static let storeUnavailable = AppError(
        .unavailable, "The service can’t reach its data right now. Please try again in a moment.",
        reason: .storeUnavailable, retryAfter: 2)
}
