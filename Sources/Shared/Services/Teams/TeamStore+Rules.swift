package import Domain
package import Storage

extension TeamStore {
    /// - Parameter reminders: its reminder settings; by default those of a team without stored ones.
    /// - Throws: `AppError.conflict` (`name-taken`), case-folded.
    package func insert(_ team: Team, reminders: ReminderSettings? = nil) async throws {
        try await transaction { try $0.add(team, reminders: reminders) }
    }

    /// Replaces name and settings if they still equal `present`, and changes the threshold of the team's open sprints
    /// according to `ThresholdRaise`, in the same transaction. Increments `publicationNumber`, because name and terms
    /// of a sprint are visible.
    /// - Returns: `false` if the rules have changed; then nothing is written.
    /// - Throws: `AppError.notFound`; `AppError.conflict` (`name-taken`), case-folded; then nothing has changed.
    package func update(id: Team.ID, _ rules: TeamRules, from present: TeamRules) async throws -> Bool {
        try await transaction { rows in
            guard var team = try rows.team(id) else { throw AppError.noSuchTeam }
            guard team.rules == present else { return false }
            if let namesake = try rows.team(name: rules.name), namesake.id != id { throw AppError.teamNameTaken }
            team.rules = rules
            try rows.update(team)
            try rows.countPublication(of: id)
            for record in try rows.openSprints(of: [id]) {
                let (threshold, raise) = record.changingThreshold(to: rules.settings.threshold)
                guard threshold != record.sprint.threshold || raise != record.raise else { continue }
                try rows.setThreshold(threshold, raise, of: record.sprint.key)
            }
            return true
        }
    }

    /// Starts sharing under a new token, or stops (`nil`). An earlier link becomes invalid immediately.
    /// - Throws: `AppError.notFound`.
    package func setShareTokenHash(id: Team.ID, _ hash: [UInt8]?) async throws {
        try await transaction { rows in
            guard var team = try rows.team(id) else { throw AppError.noSuchTeam }
            team.shareTokenHash = hash
            try rows.update(team)
        }
    }

    /// Whether the team has, or will have, anything to read that its members created: a ballot, a sprint that was
    /// closed while it had members, an action. It stays true after they have left.
    package func hasPast(_ id: Team.ID) async throws -> Bool {
        try await transaction { try $0.hasPast(id) }
    }
}

extension AppError {
    /// The team does not exist, or the caller is not a member: both look the same.
    package static let noSuchTeam = AppError(.notFound, "There’s no such team.", reason: .noSuchTeam)
    /// Another team has the name, case-folded.
    static let teamNameTaken = AppError(.conflict, "There’s already a team with this name.", reason: .nameTaken)
}

extension StoreTransaction {
    /// As `TeamStore.insert`.
    func add(_ team: Team, reminders: ReminderSettings?) throws {
        guard try self.team(name: team.name) == nil else { throw AppError.teamNameTaken }
        try insert(team)
        if let reminders { try setReminderSettings(reminders, of: team.id) }
    }
}
