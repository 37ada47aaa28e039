package import Domain
package import Foundation

/// Stores actions. Every call may also throw `StorageError.unavailable`.
///
/// Columns have an order, which only `insert` and `update` change. A member who leaves a team, or deletes their
/// account, is removed as assignee: the stores of teams and users do so in the same transaction, and count it as a
/// change of these actions.
package protocol ActionStore: TransactionalStore {
    /// `nil` if there is none.
    func find(id: Action.ID) async throws -> Action?

    /// A column of a team's board in its order, from the top.
    func list(teamID: Team.ID, state: Action.State, limit: Int) async throws -> [Action]

    /// A team's actions that have begun, the latest first, ordered by id within a sprint.
    /// - Parameter sprint: only those that began in the sprint with this start.
    func listBegun(teamID: Team.ID, in sprint: Date?, limit: Int) async throws -> [BegunAction]

    /// The actions assigned to a user in all teams, ordered by id.
    func list(assignee: User.ID) async throws -> [Action]

    /// Increases whenever an action of the team is inserted, updated or deleted; caches compare it. `nil` if there is
    /// no such team. One round trip, at a cost independent of the number of actions.
    func changeNumber(of teamID: Team.ID) async throws -> Int?
}

extension Action {
    /// Maximum number of a team's open actions: more than anyone would read.
    package static let maximumOpen = 500
    /// Maximum number of a team's actions, including finished ones: three a sprint for 25 years.
    package static let maximumKept = 2_000
}
