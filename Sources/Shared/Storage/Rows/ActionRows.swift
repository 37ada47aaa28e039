package import Domain
package import Foundation

/// Actions. A column is the actions of a team in one state, ordered by rank.
package protocol ActionRows {
    /// `nil` if there is none.
    func action(_ id: Action.ID) throws -> Action?

    /// A column of a team's board in its order, from the top.
    func actions(of teamID: Team.ID, state: Action.State, limit: Int) throws -> [Action]

    /// A team's actions that have begun, the latest first, ordered by id within a sprint.
    /// - Parameter sprint: only those that began in the sprint with this start.
    func begunActions(of teamID: Team.ID, in sprint: Date?, limit: Int) throws -> [BegunAction]

    /// The actions assigned to a user in all teams, ordered by id.
    func actions(assignedTo userID: User.ID) throws -> [Action]

    /// Number of the team's actions.
    /// - Parameter isOpen: `true` counts those that are not done.
    func actionCount(of teamID: Team.ID, isOpen: Bool) throws -> Int

    /// Increases whenever an action of the team is inserted, updated or deleted; caches compare it. `nil` if there is
    /// no such team. One round trip, at a cost independent of the number of actions.
    func actionChangeNumber(of teamID: Team.ID) throws -> Int?

    /// The rank of `other` in the column of an action; `nil` if it is in another column or does not exist.
    func rank(of other: Action.ID, inColumnOf action: Action) throws -> Int?

    /// The first or last rank of the other actions in the column of an action; `nil` if there is none.
    /// - Parameter bound: only ranks below it; `nil` means all.
    func rank(_ end: ColumnEnd, below bound: Int?, inColumnOf action: Action) throws -> Int?

    /// How many people support each of these actions; one that nobody supports is missing.
    func supporterCounts(of actions: [Action.ID]) throws -> [Action.ID: Int]

    /// The actions whose mark among these is stored.
    func supported(among marks: [ActionSupport]) throws -> Set<Action.ID>

    /// The actions of all teams that someone supports, ordered by id.
    /// - Parameter after: the last one of the previous page.
    func supportedActions(after: Action.ID?, limit: Int) throws -> [Action.ID]
}

/// Changes of actions in a transaction.
package protocol ActionChanges {
    /// - Throws: `StorageError.duplicate` if the id exists.
    func insert(_ action: Action, rank: Int) throws

    /// Replaces the action with the same id.
    /// - Parameter rank: `nil` keeps the present one.
    func update(_ action: Action, rank: Int?) throws

    /// Deletes the action.
    func delete(_ action: Action) throws

    /// Adds `step` to all ranks from `first` on in the column of an action.
    func shiftRanks(from first: Int, by step: Int, inColumnOf action: Action) throws

    /// Clears a user's assignments.
    /// - Parameter teamID: the team they leave; `nil` for all.
    func releaseActions(of userID: User.ID, in teamID: Team.ID?) throws

    /// Stores a mark of an existing action. A repetition changes nothing.
    func insert(_ support: ActionSupport) throws

    /// Removes a mark. Removing a missing one succeeds.
    func delete(_ support: ActionSupport) throws

    /// Invalidates every cache of what charts show of the team's actions, which also locks the team.
    /// - Returns: whether the team exists.
    @discardableResult
    func countActionChange(in teamID: Team.ID) throws -> Bool
}

/// One end of a column.
package enum ColumnEnd: Sendable {
    case first, last
}

extension Action {
    /// Maximum number of a team's open actions: more than anyone would read.
    package static let maximumOpen = 500
    /// Maximum number of a team's actions, including finished ones: three a sprint for 25 years.
    package static let maximumKept = 2_000
}
