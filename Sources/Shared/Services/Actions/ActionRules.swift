package import Domain
import Foundation
package import Storage

/// Every change of an action first counts it in its team, which locks the team: order, limits and membership are then
/// those of this moment. A member who leaves a team, or deletes their account, is removed as assignee.
extension StoreTransaction {
    /// Stores a new action in the column of its state.
    /// - Throws: `AppError.notFound` for an unknown team; `AppError.unprocessable` (`assignee-not-in-team`;
    ///   `too-many-actions` for an open one if the team has `Action.maximumOpen` open ones; `actions-full` if it has
    ///   `Action.maximumKept` in all states).
    package func add(_ action: Action, at place: ActionPosition) throws {
        guard try countActionChange(in: action.teamID) else { throw AppError.noSuchTeam }
        guard try actionCount(of: action.teamID, isOpen: false) < Action.maximumKept else {
            throw AppError.actionsFull
        }
        if action.state.isOpen { try checkCapacity(for: action) }
        try requireAssignee(of: action)
        try insert(action, rank: rank(of: action, at: place))
    }

    /// Replaces content, state and beginning of an action if the stored one still has the version of `action`.
    /// - Parameter place: its new position in the column; `nil` keeps the position, if the state does not change.
    /// - Returns: the action as stored, with the next version.
    /// - Throws: `AppError.notFound` if it does not exist; `AppError.conflict` (`changed-meanwhile`); as `add` for
    ///   an action that is reopened, or gets another assignee.
    package func apply(_ action: Action, at place: ActionPosition?) throws -> Action {
        try countActionChange(in: action.teamID)
        let stored = try self.action(action.id, version: action.version)
        if action.state.isOpen, !stored.state.isOpen { try checkCapacity(for: action) }
        // An assignee who left under an older version of the program must not block changes by the others.
        if action.content.assignee != stored.content.assignee { try requireAssignee(of: action) }
        var updated = action
        updated.version += 1
        try update(updated, rank: place.map { try rank(of: action, at: $0) })
        return updated
    }

    /// Removes an action if it still has that version.
    /// - Throws: `AppError.notFound` if it does not exist; `AppError.conflict` (`changed-meanwhile`).
    package func deleteAction(_ id: Action.ID, version: Int) throws {
        let stored = try action(id, version: version)
        try countActionChange(in: stored.teamID)
        try delete(stored)
    }

    /// Stores that a member supports an action, or takes it back; either may be repeated. The action keeps its version:
    /// nobody else's change is based on it.
    /// - Throws: `AppError.notFound` if the user is not in the team at this moment, or it has no such action.
    package func setSupport(
        _ support: ActionSupport, to isSupported: Bool, by userID: User.ID, in teamID: Team.ID
    ) throws {
        guard try countActionChange(in: teamID), try membership(of: userID, in: teamID) != nil else {
            throw AppError.noSuchTeam
        }
        guard try action(support.action)?.teamID == teamID else { throw AppError.noSuchAction }
        if isSupported { try insert(support) } else { try delete(support) }
    }

    private func action(_ id: Action.ID, version: Int) throws -> Action {
        guard let stored = try action(id) else { throw AppError.noSuchAction }
        guard stored.version == version else { throw AppError.actionChanged }
        return stored
    }

    private func checkCapacity(for action: Action) throws {
        guard try actionCount(of: action.teamID, isOpen: true) < Action.maximumOpen else {
            throw AppError.tooManyActions
        }
    }

    private func requireAssignee(of action: Action) throws {
        guard let assignee = action.content.assignee else { return }
        guard try membership(of: assignee, in: action.teamID) != nil else { throw AppError.assigneeNotInTeam }
    }

    /// The rank of that place in the action's column, which may already contain the action.
    private func rank(of action: Action, at place: ActionPosition) throws -> Int {
        let (lower, upper) = try neighbours(of: action, at: place)
        if let rank = ActionOrder.rank(after: lower, before: upper) { return rank }
        if let upper { try shiftRanks(from: upper, by: ActionOrder.step, inColumnOf: action) }
        return try rank(of: action, at: place)
    }

    private func neighbours(of action: Action, at place: ActionPosition) throws -> (lower: Int?, upper: Int?) {
        switch place {
        case .first:
            return (nil, try rank(.first, below: nil, inColumnOf: action))
        case .before(let other) where other != action.id:
            if let upper = try rank(of: other, inColumnOf: action) {
                return (try rank(.last, below: upper, inColumnOf: action), upper)
            }
        case .last, .before: break
        }
        return (try rank(.last, below: nil, inColumnOf: action), nil)
    }
}

extension AppError {
    /// The id is unknown or belongs to another team.
    package static let noSuchAction = AppError(.notFound, "There’s no such action.", reason: .noSuchAction)
    /// Members read actions, move their own and, unless the team reserves that, add some; leads do the rest.
    package static let leadsOnly = AppError(
        .forbidden, "Only team leads can do this.", reason: .leadsOnly)
    /// Text written for leads alone stays restricted to them.
    package static let quoteForLeads = AppError(
        .unprocessable,
        "This quote was written for team leads only and stays with them. Delete it if everyone should read the rest.",
        reason: .quoteForLeads)
    /// The action has another version in the meantime.
    package static let actionChanged = AppError(
        .conflict, "Someone else changed this action in the meantime. Please check it and try again.",
        reason: .changedMeanwhile)
    /// The team has reached the maximum of open actions.
    static let tooManyActions = AppError(
        .unprocessable, "The team has \(Action.maximumOpen) open actions. Please finish or delete some first.",
        reason: .tooManyActions)
    /// The team has reached the maximum of actions.
    static let actionsFull = AppError(
        .unprocessable, "The team has \(Action.maximumKept) actions. Please delete some finished ones first.",
        reason: .actionsFull)
    /// A member who is not a lead has added many actions within a day.
    static func addedMany(retryAfter seconds: TimeInterval) -> AppError {
        AppError(
            .tooManyRequests, "You’ve added a lot of actions today. Please continue tomorrow.",
            reason: .tooManyNewActions, retryAfter: Int(seconds))
    }
    /// Only members can be assignees.
    static let assigneeNotInTeam = AppError(
        .unprocessable, "This person isn’t in the team.", reason: .assigneeNotInTeam)
}
