import Foundation

extension OneTimeTokenStore {
    /// Uses a link's token for `body`; of callers that race, one runs it. If `body` throws, the token counts again, so
    /// that a name somebody else just took costs nobody their link; other tokens of its subject stay gone.
    /// - Throws: `AppError.linkExpired`; what `body` throws.
    func use<Success>(
        _ text: String, for purpose: OneTimeToken.Purpose, at now: Date,
        _ body: (OneTimeToken) async throws -> Success
    ) async throws -> Success {
        guard let token = try await consume(hash: OneTimeToken.hash(of: text), purpose: purpose, at: now) else {
            throw AppError.linkExpired
        }
        do {
            return try await body(token)
        } catch {
            try await insert(token)
            throw error
        }
    }
}
