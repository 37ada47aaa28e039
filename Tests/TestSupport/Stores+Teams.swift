package import Domain
package import Foundation
import Services
package import Storage

/// Rules of teams, each in a transaction of its own. All test teams use one secret.
extension Stores {
    /// Stores a team.
    package func insert(_ team: Team, reminders: ReminderSettings? = nil) async throws {
        try await transaction { try $0.add(team, reminders: reminders) }
    }

    /// Replaces the settings, and the name unless it is `nil`, whatever they were before.
    package func update(id: Team.ID, name: String?, settings: TeamSettings) async throws {
        while true {
            guard let present = try await team(id)?.rules else { throw AppError.noSuchTeam }
            let rules = TeamRules(name: name ?? present.name, settings: settings)
            if try await transaction({ try $0.apply(rules, to: id, from: present) }) { return }
        }
    }

    /// Replaces only the settings, whatever they were before.
    package func updateSettings(id: Team.ID, _ settings: TeamSettings) async throws {
        try await update(id: id, name: nil, settings: settings)
    }

    /// Adds a member.
    package func add(_ membership: Membership) async throws {
        try await transaction { try $0.add(membership, secret: TestTeam.secret) }
    }

    /// Removes a member; by default even if the team then has no lead.
    package func remove(userID: User.ID, from teamID: Team.ID, by caller: Caller = .operator) async throws {
        try await transaction {
            try $0.removeMember(userID, from: teamID, by: caller, secret: TestTeam.secret)
        }
    }

    /// Deletes a team.
    package func delete(_ id: Team.ID, at now: Date) async throws {
        try await deleteTeam(id, at: now, secret: TestTeam.secret)
    }

    /// All members of the team, ordered by user id.
    package func members(of teamID: Team.ID) async throws -> [Membership] {
        try await read { try $0.members(of: teamID) }
    }

    /// Increases whenever the visible state of the team's sprints changes.
    package func publicationNumber(of teamID: Team.ID) async throws -> Int? {
        try await read { try $0.publicationNumber(of: teamID) }
    }
}
