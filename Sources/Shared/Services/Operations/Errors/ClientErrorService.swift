import Crypto
package import Domain
package import Foundation
package import Ports
package import Storage

/// Errors of apps and pages: everybody may report them, administrators and the operator read them.
package struct ClientErrorService: Sendable {
    /// Who sends a report.
    package enum Sender: Hashable, Sendable {
        /// A user who is logged in.
        case user(User.ID)
        /// Anybody, perhaps a user who cannot log in, at a network address.
        case anonymous(String)
    }

    /// Maximum number of reports per user, or per network without a login, and clock hour: an app that fails on every
    /// tap must not fill the store.
    package static let reportLimit = 20
    /// Seconds.
    package static let reportWindow: TimeInterval = 3_600
    /// Maximum number of groups; beyond it only known errors are counted, until old groups are removed.
    package static let maximumGroups = 1_000
    /// The same for reports without a login: whoever invents errors, and reports them again each day, must not push
    /// those of users from the list.
    package static let maximumGroupsFromAnyone = listLimit / 2
    /// Days after which a group without new reports is removed.
    package static let retentionDays = 90
    /// Maximum number of groups in a list.
    package static let listLimit = 200

    private let store: any Store
    private let quotaKey: SymmetricKey
    private let clock: WallClock

    /// Creates a service over the stores of one database.
    package init(stores: Stores, secrets: Secrets, clock: WallClock) {
        store = stores.rows
        quotaKey = DerivedKey.clientErrorQuota.make(from: secrets.jwt)
        self.clock = clock
    }

    /// Counts a report. Nothing about the sender is kept except that a place of a quota is taken, under a keyed hash
    /// and with the hour: a finer time could be compared with that of a ballot.
    /// - Throws: `AppError.tooManyRequests` (`too-many-reports`).
    package func report(_ report: ClientErrorReport, by sender: Sender) async throws {
        let now = clock.now
        let hour = Date(
            timeIntervalSince1970: (now.timeIntervalSince1970 / Self.reportWindow).rounded(.down) * Self.reportWindow)
        let name =
            switch sender {
            case .user(let userID): "report|\(userID)"
            case .anonymous(let address): "report from|\(ClientNetwork.name(of: address))"
            }
        let key = SecureBytes.hmac(Data(name.utf8), key: quotaKey)
        let limit = report.isAnonymous ? Self.maximumGroupsFromAnyone : Self.maximumGroups
        guard
            try await store.write({
                try $0.takeQuota(key, limit: Self.reportLimit, window: Self.reportWindow, at: hour)
            })
        else {
            throw AppError(
                .tooManyRequests, "Too many reports. Please send the next ones in an hour.",
                reason: .tooManyReports, retryAfter: Int(Self.reportWindow))
        }
        _ = try await store.write {
            try $0.record(report, on: ClientErrorGroup.day(at: now), limit: limit)
        }
    }

    /// The open or the resolved groups, the most recently seen first.
    /// - Throws: `AppError.forbidden`.
    package func list(isResolved: Bool, by caller: Caller) async throws -> [ClientErrorGroup] {
        try await store.requireAdmin(caller)
        return try await store.read { try $0.clientErrors(isResolved: isResolved, limit: Self.listLimit) }
    }

    /// One group.
    /// - Throws: `AppError`: `forbidden`, `notFound`.
    package func find(_ id: ClientErrorGroup.ID, by caller: Caller) async throws -> ClientErrorGroup {
        try await store.requireAdmin(caller)
        guard let group = try await store.read({ try $0.clientError(id) }) else { throw AppError.noSuchClientError }
        return group
    }

    /// Marks a group as resolved, until a newer version reports it, or reopens it.
    /// - Throws: `AppError`: `forbidden`, `notFound`.
    package func resolve(_ id: ClientErrorGroup.ID, _ isResolved: Bool, by caller: Caller) async throws {
        try await store.requireAdmin(caller)
        guard try await store.write({ try $0.resolveClientError(id, isResolved) }) else {
            throw AppError.noSuchClientError
        }
    }

    /// Permanently removes a group, but not on a day with a report: an administrator who removed it after each report
    /// would see the next one arrive, and with it perhaps the next vote.
    /// - Throws: `AppError`: `forbidden`, `notFound`, `conflict` (`client-error-seen-today`).
    package func delete(_ id: ClientErrorGroup.ID, by caller: Caller) async throws {
        try await store.requireAdmin(caller)
        guard try await !store.write({ try $0.deleteClientError(id, seenBefore: today) }) else { return }
        throw try await store.read { try $0.clientError(id) } == nil
            ? AppError.noSuchClientError : AppError.clientErrorSeenToday
    }

    /// The present day as groups count it, in UTC.
    package var today: CalendarDay { ClientErrorGroup.day(at: clock.now) }
}

extension AppError {
    /// The id is unknown.
    package static let noSuchClientError = AppError(
        .notFound, "There’s no such error. It may have been removed.", reason: .noSuchClientError)
    /// The group has a report from today.
    static let clientErrorSeenToday = AppError(
        .conflict, "This error occurred today. You can remove it tomorrow.", reason: .clientErrorSeenToday)
}
