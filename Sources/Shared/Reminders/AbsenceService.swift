/// When people are away: everybody tells it of themselves, and nobody else sees it.
public struct AbsenceService: Sendable {
    private let absences: any AbsenceStore
    private let clock: WallClock

    /// Creates a service over the stores of one database.
    public init(stores: Stores, clock: WallClock) {
        absences = stores.absences
        self.clock = clock
    }

    /// The caller's absences that are not over, in order.
    public func list(by principal: Principal) async throws -> [Absence] {
        let today = Absence.earliestToday(at: clock.now)
        return try await absences.list(userID: principal.userID).filter { $0.last >= today }
    }

    /// Replaces all of the caller's absences.
    /// - Returns: what is kept: in order, each once, without those that are over.
    /// - Throws: `AppError`: `refused` for a list that breaks a rule, `unauthenticated` if the account is gone.
    public func replace(_ list: [Absence], by principal: Principal) async throws -> [Absence] {
        let kept = try Absence.validated(list, at: clock.now)
        do {
            try await absences.replace(userID: principal.userID, kept)
        } catch let error as AppError where error.code == .notFound {
            throw AppError.sessionEnded
        }
        return kept
    }
}
