package import Domain
package import Foundation
package import Ports
package import Storage

/// People without a team ask the administrators for one.
///
/// Asking gives no right. Administrators answer with an invitation, or ask a lead for one, so that all rules of
/// invitations apply to those who have registered themselves, too (decision 66).
package struct TeamRequestService: Sendable {
    /// Seconds in which a person's request is mailed once. Quota entries are kept no longer
    /// (`OneTimeToken.quotaHorizon`).
    package static let window: TimeInterval = 86_400
    /// People whose requests are mailed within `window`: a class that registers at once, but no flood.
    package static let limit = 60
    /// Administrators who get the mail.
    static let recipients = 10

    private let store: any Store
    private let mails: MailJobs
    private let clock: WallClock

    /// Creates a service over the stores of one database.
    package init(stores: Stores, clock: WallClock) {
        store = stores.rows
        mails = MailJobs(jobs: stores.jobs, clock: clock)
        self.clock = clock
    }

    /// Mails the administrators that the caller has no team. Does nothing for a caller who has one, or has asked within
    /// `window`.
    /// - Throws: `AppError`: `tooManyRequests` (`too-many-messages`) if too many people have asked, `unauthenticated` if the account no longer
    ///   exists.
    package func ask(by principal: Principal) async throws {
        guard let user = try await store.user(principal.userID) else { throw AppError.sessionEnded }
        guard try await store.read({ try $0.memberships(of: user.id) }).isEmpty,
            try await takePlace(of: "user \(user.id)", limit: 1)
        else { return }
        guard try await takePlace(of: "everybody", limit: Self.limit) else {
            throw AppError(
                .tooManyRequests, "Too many people have asked for a team today. Please ask your team lead or an admin.",
                reason: .tooManyMessages, retryAfter: Int(Self.window))
        }
        for admin in try await store.read({ try $0.users(role: .admin, limit: Self.recipients) }) {
            try await mails.teamRequest(of: user.id, to: admin.id)
        }
    }

    private func takePlace(of subject: String, limit: Int) async throws -> Bool {
        // Not keyed with a secret: an id says nothing, and the account is stored next to it.
        let key = SecureBytes.sha256(Data("team request of \(subject)".utf8))
        return try await store.write { try $0.takeQuota(key, limit: limit, window: Self.window, at: clock.now) }
    }
}
