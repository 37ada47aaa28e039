package import Domain
package import Storage

extension StoreTransaction {
    /// Stores a new team.
    /// - Parameter reminders: its reminder settings; by default those of a team without stored ones.
    /// - Throws: `AppError.conflict` (`name-taken`), case-folded.
    package func add(_ team: Team, reminders: ReminderSettings? = nil) throws {
        guard try self.team(name: team.name) == nil else { throw AppError.teamNameTaken }
        try insert(team)
        if let reminders { try setReminderSettings(reminders, of: team.id) }
    }

    /// Replaces name and settings if they still equal `present`, and changes the threshold of the team's open sprints
    /// according to `ThresholdRaise`. Increments `publicationNumber`, because name and terms
    /// of a sprint are visible.
    /// - Returns: `false` if the rules have changed; then nothing is written.
    /// - Throws: `AppError.notFound`; `AppError.conflict` (`name-taken`), case-folded; then nothing has changed.
    package func apply(_ rules: TeamRules, to id: Team.ID, from present: TeamRules) throws -> Bool {
        guard var team = try team(id) else { throw AppError.noSuchTeam }
        guard team.rules == present else { return false }
        if let namesake = try self.team(name: rules.name), namesake.id != id { throw AppError.teamNameTaken }
        team.rules = rules
        try update(team)
        try countPublication(of: id)
        for record in try openSprints(of: [id]) {
            let (threshold, raise) = record.changingThreshold(to: rules.settings.threshold)
            guard threshold != record.sprint.threshold || raise != record.raise else { continue }
            try setThreshold(threshold, raise, of: record.sprint.key)
        }
        return true
    }

    /// Starts sharing under a new token, or stops (`nil`). An earlier link becomes invalid immediately.
    /// - Throws: `AppError.notFound`.
    package func setShareTokenHash(_ hash: [UInt8]?, of id: Team.ID) throws {
        guard var team = try team(id) else { throw AppError.noSuchTeam }
        team.shareTokenHash = hash
        try update(team)
    }
}

extension AppError {
    /// The team does not exist, or the caller is not a member: both look the same.
    package static let noSuchTeam = AppError(.notFound, "There’s no such team.", reason: .noSuchTeam)
    /// Another team has the name, case-folded.
    static let teamNameTaken = AppError(.conflict, "There’s already a team with this name.", reason: .nameTaken)
}
