package import Domain
package import Storage

extension StoreTransaction {
    /// Stores an experiment whose period overlaps no other of its team. If several overlapping ones race, one is
    /// stored.
    /// - Throws: `AppError.notFound` if there is no such team; `AppError.conflict` (`experiments-overlap`).
    package func add(_ experiment: ReminderExperiment) throws {
        guard try lock(experiment.teamID) else { throw AppError.noSuchTeam }
        guard try !overlapsAnother(experiment) else { throw AppError.experimentsOverlap }
        try insert(experiment)
    }
}

extension AppError {
    /// The period overlaps another experiment of the team.
    static let experimentsOverlap = AppError(
        .conflict, "Another A/B test of the team covers some of these days.", reason: .experimentsOverlap)
    /// The id is unknown or belongs to another team.
    package static let noSuchExperiment = AppError(.notFound, "There’s no such A/B test.")
}
