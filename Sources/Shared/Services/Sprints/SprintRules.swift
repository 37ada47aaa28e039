package import Domain
package import Storage

extension StoreTransaction {
    /// Starts a sprint, unless the team already has one that ends after `sprint.start`: then it returns the earliest of
    /// those and stores nothing. A label the team has already used gets the next free suffix (`b`, `c`, …). Racing
    /// callers get the same sprint. Increments the team's `publicationNumber`.
    /// - Throws: `AppError.notFound` if there is no such team.
    package func start(_ sprint: Sprint) throws -> Sprint {
        // Locked: of two processes that start a sprint at this moment, the second one finds the first one's.
        guard try lock(sprint.teamID) else { throw AppError.noSuchTeam }
        if let running = try self.sprint(of: sprint.teamID, endingAfter: sprint.start) { return running }
        let taken = try labels(of: sprint.teamID, like: sprint.label)
        guard let label = sprint.label.firstFree(among: taken) else { throw AppError.labelTaken }
        let started = sprint.labelled(label)
        try insert([SprintRecord(sprint: started, state: .initial, eligible: nil)])
        try countPublication(of: sprint.teamID)
        return started
    }
}

extension Store {
    /// Adds finished sprints, including closed records, unchanged: for imports and demo data.
    /// - Throws: `AppError.conflict` if a key or label is taken; then none was added.
    package func importSprints(_ records: [SprintRecord]) async throws {
        do {
            try await transaction { rows in
                try rows.insert(records)
                for teamID in Set(records.map(\.sprint.teamID)) { try rows.countPublication(of: teamID) }
            }
        } catch StorageError.duplicate {
            throw AppError(.conflict, "One of these sprints already exists.")
        }
    }
}

extension AppError {
    /// The team has used up every label of the sprint's year and number.
    static let labelTaken = AppError(
        .conflict, "All sprint names of this number and year are taken.", reason: .labelTaken)
}
