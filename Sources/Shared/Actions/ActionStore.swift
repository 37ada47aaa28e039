public import Foundation

/// Where actions are kept. Every call may also throw `AppError.storeUnavailable`.
///
/// Columns have an order, which only `insert` and `update` change. Whoever leaves a team, or deletes their account, is
/// nobody's assignee from then on: the stores of teams and users see to it, in the same transaction, and count it as a
/// change of these actions.
public protocol ActionStore: Sendable {
    /// Stores a new action in the column its state names.
    /// - Throws: `AppError.notFound` for a team that is not there; `AppError.refused` (`assignee-not-in-team`;
    ///   `too-many-actions` for one that is open when the team has `Action.maximumOpen` open ones; `actions-full` when it
    ///   has `Action.maximumKept` of any state).
    func insert(_ action: Action, at place: ActionPlace) async throws

    /// `nil` if there is none.
    func find(id: Action.ID) async throws -> Action?

    /// A column of a team's board in its order, from the head.
    func list(teamID: Team.ID, state: Action.State, limit: Int) async throws -> [Action]

    /// A team's actions that have begun, those that began last at the head, within a sprint ordered by id.
    /// - Parameter sprint: only those that began in the sprint that starts then.
    func listBegun(teamID: Team.ID, in sprint: Date?, limit: Int) async throws -> [BegunAction]

    /// Those a person is to see to, of all teams, ordered by id.
    func list(assignee: User.ID) async throws -> [Action]

    /// Replaces content, state and beginning of an action, provided that it still has the version of `action`.
    /// - Parameter place: where in its column to put it; `nil` leaves it where it is, for an action whose state stays.
    /// - Returns: the action as it is stored now, under the next version.
    /// - Throws: `AppError.notFound` if it is gone; `AppError.conflict` (`changed-meanwhile`); as `insert` for one that is
    ///   opened again, and for another assignee.
    func update(_ action: Action, at place: ActionPlace?) async throws -> Action

    /// Removes an action, provided that it still has that version.
    /// - Throws: `AppError.notFound` if it is gone; `AppError.conflict` (`changed-meanwhile`).
    func delete(id: Action.ID, version: Int) async throws

    /// Makes nobody of a person in all actions they are to see to. The stores of teams and users do it when somebody
    /// leaves; this finds what a version of the program that knew no actions has left.
    func release(assignee: User.ID) async throws

    /// Grows whenever an action of the team is inserted, updated or deleted. Caches compare it. `nil` if there is no such
    /// team. One round trip, and a cost that does not grow with the team's actions.
    func changeNumber(of teamID: Team.ID) async throws -> Int?
}

extension Action {
    /// Open actions a team may have: more than anybody looks through.
    public static let maximumOpen = 500
    /// Actions a team may have, finished ones among them: three a sprint for 25 years.
    public static let maximumKept = 2_000
}

extension AppError {
    /// None of this id, or another team's.
    public static let noSuchAction = AppError(.notFound, "There is no such action.", reason: "no-such-action")
    /// For services: members read and move what is theirs, leads do the rest.
    public static let leadsOnly = AppError(
        .forbidden, "Only a lead of the team may do this.", reason: "leads-only")
    /// For services: what was written for leads alone stays theirs.
    public static let quoteForLeads = AppError(
        .refused, "This quote was written for leads only and stays theirs. Delete it if everybody is to read the rest.",
        reason: "quote-for-leads")
    /// For stores: the action has another version by now.
    public static let actionChanged = AppError(
        .conflict, "Somebody changed this action in the meantime. Please look at it again and repeat the change.",
        reason: "changed-meanwhile")
    /// For stores: there is no room for another open one.
    static let tooManyActions = AppError(
        .refused, "The team has \(Action.maximumOpen) open actions already. Please finish or delete some first.",
        reason: "too-many-actions")
    /// For stores: there is no room for another one of any state.
    static let actionsFull = AppError(
        .refused, "The team has \(Action.maximumKept) actions already. Please delete some that are done first.",
        reason: "actions-full")
    /// For stores: only members see to a team's actions.
    static let assigneeNotInTeam = AppError(
        .refused, "This person is not in the team.", reason: "assignee-not-in-team")
}
