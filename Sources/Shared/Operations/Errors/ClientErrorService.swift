import Crypto
public import Foundation

/// Errors that apps and pages report: everybody who is logged in may report, administrators and the operator read.
public struct ClientErrorService: Sendable {
    /// Reports a person has in an hour of the clock: an app that fails at every touch must not fill the store.
    public static let reportLimit = 20
    /// Seconds.
    public static let reportWindow: TimeInterval = 3_600
    /// Groups that are kept; beyond them only known errors are counted, until old ones are gone.
    public static let maximumGroups = 1_000
    /// Days after which a group that was not seen is removed.
    public static let retentionDays = 90
    /// Groups of a list.
    public static let listLimit = 200

    private let users: any UserStore
    private let tokens: any OneTimeTokenStore
    private let errors: any ClientErrorStore
    private let quotaKey: SymmetricKey
    private let clock: WallClock

    /// Creates a service over the stores of one database.
    public init(stores: Stores, secrets: Secrets, clock: WallClock) {
        users = stores.users
        tokens = stores.tokens
        errors = stores.clientErrors
        quotaKey = DerivedKey.clientErrorQuota.make(from: secrets.jwt)
        self.clock = clock
    }

    /// Counts a report. Of who sent it nothing is kept but that a place of somebody's quota is taken, under a keyed hash and
    /// with the hour: a finer time would stand beside that of a ballot.
    /// - Throws: `AppError.tooManyRequests` (`too-many-reports`).
    public func report(_ report: ClientErrorReport, by principal: Principal) async throws {
        let now = clock.now
        let hour = Date(
            timeIntervalSince1970: (now.timeIntervalSince1970 / Self.reportWindow).rounded(.down) * Self.reportWindow)
        let key = SecureBytes.hmac(Data("report|\(principal.userID)".utf8), key: quotaKey)
        guard
            try await tokens.takeQuota(key: key, limit: Self.reportLimit, window: Self.reportWindow, at: hour)
        else {
            throw AppError(
                .tooManyRequests, "That are enough reports for now. Please send the next ones in an hour.",
                reason: "too-many-reports", retryAfter: Int(Self.reportWindow))
        }
        _ = try await errors.record(report, on: ClientErrorGroup.day(at: now), limit: Self.maximumGroups)
    }

    /// The open groups or the resolved ones, those seen last at the head.
    /// - Throws: `AppError.forbidden`.
    public func list(isResolved: Bool, by caller: Caller) async throws -> [ClientErrorGroup] {
        try await users.requireAdmin(caller)
        return try await errors.list(isResolved: isResolved, limit: Self.listLimit)
    }

    /// One group.
    /// - Throws: `AppError`: `forbidden`, `notFound`.
    public func find(_ id: ClientErrorGroup.ID, by caller: Caller) async throws -> ClientErrorGroup {
        try await users.requireAdmin(caller)
        guard let group = try await errors.find(id: id) else { throw AppError.noSuchClientError }
        return group
    }

    /// Marks a group as resolved, until it is seen in a newer version, or as open again.
    /// - Throws: `AppError`: `forbidden`, `notFound`.
    public func resolve(_ id: ClientErrorGroup.ID, _ isResolved: Bool, by caller: Caller) async throws {
        try await users.requireAdmin(caller)
        try await errors.resolve(id: id, isResolved)
    }

    /// Removes a group for good. Not on a day on which it was seen: who removes it after each report would see the next one
    /// come, and with it perhaps the next vote.
    /// - Throws: `AppError`: `forbidden`, `notFound`, `conflict` (`client-error-seen-today`).
    public func delete(_ id: ClientErrorGroup.ID, by caller: Caller) async throws {
        try await users.requireAdmin(caller)
        try await errors.delete(id: id, seenBefore: today)
    }

    /// Today, as groups count it.
    public var today: CalendarDay { ClientErrorGroup.day(at: clock.now) }
}
