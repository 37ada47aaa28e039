public import Foundation

/// Stores actions. Every call may also throw `AppError.storeUnavailable`.
///
/// Columns have an order, which only `insert` and `update` change. A member who leaves a team, or deletes their
/// account, is removed as assignee: the stores of teams and users do so in the same transaction, and count it as a
/// change of these actions.
public protocol ActionStore: Sendable {
    /// Stores a new action in the column of its state.
    /// - Throws: `AppError.notFound` for an unknown team; `AppError.refused` (`assignee-not-in-team`;
    ///   `too-many-actions` for an open one if the team has `Action.maximumOpen` open ones; `actions-full` if it has
    ///   `Action.maximumKept` in all states).
    func insert(_ action: Action, at place: ActionPlace) async throws

    /// `nil` if there is none.
    func find(id: Action.ID) async throws -> Action?

    /// A column of a team's board in its order, from the top.
    func list(teamID: Team.ID, state: Action.State, limit: Int) async throws -> [Action]

    /// A team's actions that have begun, the latest first, ordered by id within a sprint.
    /// - Parameter sprint: only those that began in the sprint with this start.
    func listBegun(teamID: Team.ID, in sprint: Date?, limit: Int) async throws -> [BegunAction]

    /// The actions assigned to a user in all teams, ordered by id.
    func list(assignee: User.ID) async throws -> [Action]

    /// Replaces content, state and beginning of an action if it still has the version of `action`.
    /// - Parameter place: its new position in the column; `nil` keeps the position, if the state does not change.
    /// - Returns: the action as stored, with the next version.
    /// - Throws: `AppError.notFound` if it does not exist; `AppError.conflict` (`changed-meanwhile`); as `insert` for
    ///   an action that is reopened, or gets another assignee.
    func update(_ action: Action, at place: ActionPlace?) async throws -> Action

    /// Removes an action if it still has that version.
    /// - Throws: `AppError.notFound` if it does not exist; `AppError.conflict` (`changed-meanwhile`).
    func delete(id: Action.ID, version: Int) async throws

    /// Clears the assignee of all actions assigned to a user. The stores of teams and users do it when a member leaves;
    /// this call cleans up after a version of the program without actions.
    func release(assignee: User.ID) async throws

    /// Increases whenever an action of the team is inserted, updated or deleted; caches compare it. `nil` if there is
    /// no such team. One round trip, at a cost independent of the number of actions.
    func changeNumber(of teamID: Team.ID) async throws -> Int?
}

extension Action {
    /// Maximum number of a team's open actions: more than anyone would read.
    public static let maximumOpen = 500
    /// Maximum number of a team's actions, including finished ones: three a sprint for 25 years.
    public static let maximumKept = 2_000
}

extension AppError {
    /// The id is unknown or belongs to another team.
    public static let noSuchAction = AppError(.notFound, "There is no such action.", reason: "no-such-action")
    /// For services: members read actions and move their own, leads do the rest.
    public static let leadsOnly = AppError(
        .forbidden, "Only a lead of the team may do this.", reason: "leads-only")
    /// For services: text written for leads alone stays restricted to them.
    public static let quoteForLeads = AppError(
        .refused, "This quote was written for leads only and stays theirs. Delete it if everybody is to read the rest.",
        reason: "quote-for-leads")
    /// For stores: the action has another version in the meantime.
    public static let actionChanged = AppError(
        .conflict, "Somebody changed this action in the meantime. Please look at it again and repeat the change.",
        reason: "changed-meanwhile")
    /// For stores: the team has reached the maximum of open actions.
    static let tooManyActions = AppError(
        .refused, "The team has \(Action.maximumOpen) open actions already. Please finish or delete some first.",
        reason: "too-many-actions")
    /// For stores: the team has reached the maximum of actions.
    static let actionsFull = AppError(
        .refused, "The team has \(Action.maximumKept) actions already. Please delete some that are done first.",
        reason: "actions-full")
    /// For stores: only members can be assignees.
    static let assigneeNotInTeam = AppError(
        .refused, "This person is not in the team.", reason: "assignee-not-in-team")
}
