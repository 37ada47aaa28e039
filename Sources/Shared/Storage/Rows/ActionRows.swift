package import Domain

/// Actions in a transaction. A column is the actions of a team in one state, ordered by rank.
package protocol ActionRows {
    /// `nil` if there is none.
    func action(_ id: Action.ID) throws -> Action?

    /// Number of the team's actions.
    /// - Parameter isOpen: `true` counts those that are not done.
    func actionCount(of teamID: Team.ID, isOpen: Bool) throws -> Int

    /// - Throws: `StorageError.duplicate` if the id exists.
    func insert(_ action: Action, rank: Int) throws

    /// Replaces the action with the same id.
    /// - Parameter rank: `nil` keeps the present one.
    func update(_ action: Action, rank: Int?) throws

    /// Deletes the action.
    func delete(_ action: Action) throws

    /// The rank of `other` in the column of an action; `nil` if it is in another column or does not exist.
    func rank(of other: Action.ID, inColumnOf action: Action) throws -> Int?

    /// The first or last rank of the other actions in the column of an action; `nil` if there is none.
    /// - Parameter bound: only ranks below it; `nil` means all.
    func rank(_ end: ColumnEnd, below bound: Int?, inColumnOf action: Action) throws -> Int?

    /// Adds `step` to all ranks from `first` on in the column of an action.
    func shiftRanks(from first: Int, by step: Int, inColumnOf action: Action) throws

    /// Clears a user's assignments.
    /// - Parameter teamID: the team they leave; `nil` for all.
    func releaseActions(of userID: User.ID, in teamID: Team.ID?) throws

    /// Invalidates every cache of what charts show of the team's actions, which also locks the team.
    /// - Returns: whether the team exists.
    @discardableResult
    func countActionChange(in teamID: Team.ID) throws -> Bool
}

/// One end of a column.
package enum ColumnEnd: Sendable {
    case first, last
}
