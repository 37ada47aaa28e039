import Domain
import Foundation
import Ports
import Storage

/// Limits how many names a user may try: a rejected one reveals that it exists.
struct NameQuota: Sendable {
    /// Attempts of one user within `window`: enough for second thoughts, and too few to probe which names exist.
    static let limit = 20
    /// Seconds. Quota entries are kept no longer than this (`OneTimeToken.quotaHorizon`).
    static let window: TimeInterval = 86_400

    /// The kind of thing that is named; each kind has its own limit.
    let kind: String
    let store: any Store
    let clock: WallClock

    /// - Throws: `AppError.tooManyRequests` (`too-many-names`).
    func take(by userID: User.ID) async throws {
        // Ids are random, so the hash of one cannot collide with another key.
        let key = SecureBytes.sha256(Data("\(kind) names \(userID)".utf8))
        guard
            try await store.write({ try $0.takeQuota(key, limit: Self.limit, window: Self.window, at: clock.now) })
        else { throw AppError.tooManyNames }
    }
}

extension AppError {
    /// Further attempts would reveal more names.
    static let tooManyNames = AppError(
        .tooManyRequests, "That’s too many new names in one day. Please try again tomorrow.",
        reason: .tooManyNames, retryAfter: Int(NameQuota.window))
}
