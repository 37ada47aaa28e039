package import Domain
import Services
package import Storage

extension TeamStore {
    /// Replaces the settings, and the name unless it is `nil`, whatever they were before.
    /// - Throws: as `update` with the rules from before.
    package func update(id: Team.ID, name: String?, settings: TeamSettings) async throws {
        while true {
            guard let present = try await find(id: id)?.rules else { throw AppError.noSuchTeam }
            let rules = TeamRules(name: name ?? present.name, settings: settings)
            if try await update(id: id, rules, from: present) { return }
        }
    }

    /// Replaces only the settings, whatever they were before.
    /// - Throws: as `update`.
    package func updateSettings(id: Team.ID, _ settings: TeamSettings) async throws {
        try await update(id: id, name: nil, settings: settings)
    }
}
