/// Members' absences: everyone manages their own, and nobody else sees them.
package struct AbsenceService: Sendable {
    private let absences: any AbsenceStore
    private let clock: WallClock

    /// Creates a service over the stores of one database.
    package init(stores: Stores, clock: WallClock) {
        absences = stores.absences
        self.clock = clock
    }

    /// The caller's current and future absences, in order.
    package func list(by principal: Principal) async throws -> [Absence] {
        let today = Absence.earliestToday(at: clock.now)
        return try await absences.list(userID: principal.userID).filter { $0.last >= today }
    }

    /// Replaces all of the caller's absences.
    /// - Returns: the stored list: ordered, without duplicates and past absences.
    /// - Throws: `AppError`: `refused` for a list that violates a rule, `unauthenticated` if the account no longer
    ///   exists.
    package func replace(_ list: [Absence], by principal: Principal) async throws -> [Absence] {
        let kept = try Absence.validated(list, at: clock.now)
        do {
            try await absences.replace(userID: principal.userID, kept)
        } catch let error as AppError where error.code == .notFound {
            throw AppError.sessionEnded
        }
        return kept
    }
}
