public import Foundation

/// A team's actions: who may do what.
///
/// Members read the board, guests among them. Leads make, change, move and delete; whoever sees to an action moves it. An
/// administrator who is not in the team reads nothing, for actions hold what was written as feedback. To anybody else the
/// team does not exist. Read from the stores each time, so that a change of roles counts at once.
public struct ActionService: Sendable {
    /// Finished actions a board shows; the open ones it shows all.
    public static let shownDone = 100
    /// Actions a chart names.
    public static let shownInChart = 300
    /// Actions a sprint's page names.
    public static let shownInSprint = 100

    private let stores: Stores
    private let sprints: SprintService

    /// - Parameter sprints: knows in which sprint something is made or begins.
    public init(stores: Stores, sprints: SprintService) {
        self.stores = stores
        self.sprints = sprints
    }

    /// The whole board.
    /// - Throws: `AppError.notFound`.
    public func board(of teamID: Team.ID, by userID: User.ID) async throws -> ActionBoard {
        let reader = try await reader(userID, in: teamID)
        var columns: [ActionBoard.Column] = []
        for state in Action.State.allCases {
            let limit = state.isOpen ? Action.maximumOpen : Self.shownDone
            let actions = try await stores.actions.list(teamID: teamID, state: state, limit: limit + 1)
            columns.append(
                ActionBoard.Column(
                    state: state, actions: actions.prefix(limit).map(reader.view), hasMore: actions.count > limit))
        }
        return ActionBoard(columns: columns, reader: reader)
    }

    /// One action, and who looks at it.
    /// - Throws: `AppError.notFound`.
    public func find(
        _ id: Action.ID, of teamID: Team.ID, by userID: User.ID
    ) async throws -> (action: Action, reader: ActionReader) {
        let reader = try await reader(userID, in: teamID)
        return (reader.view(of: try await action(id, of: teamID)), reader)
    }

    /// The actions that have begun, those that began last at the head: all, or those of one sprint.
    /// - Parameter sprint: its first instant.
    /// - Throws: `AppError.notFound`.
    public func begun(of teamID: Team.ID, in sprint: Date? = nil, by userID: User.ID) async throws -> [Action] {
        let reader = try await reader(userID, in: teamID)
        let limit = sprint == nil ? Self.shownInChart : Self.shownInSprint
        return try await stores.actions.listBegun(teamID: teamID, in: sprint, limit: limit).map(reader.view)
    }

    /// Who looks at a team's actions.
    /// - Throws: `AppError.notFound` for who is not in the team.
    public func reader(_ userID: User.ID, in teamID: Team.ID) async throws -> ActionReader {
        guard let membership = try await stores.teams.membership(of: userID, in: teamID),
            let user = try await stores.users.find(id: userID), let team = try await stores.teams.find(id: teamID)
        else { throw AppError.noSuchTeam }
        return ActionReader(
            membership: membership, isGuest: user.role == .guest, feedbackReaders: team.settings.feedbackReaders)
    }

    /// Those who are to see to some actions, by their ids.
    public func assignees(of actions: [Action]) async throws -> [User.ID: User] {
        let ids = Set(actions.compactMap(\.content.assignee))
        guard !ids.isEmpty else { return [:] }
        let users = try await stores.users.list(ids: Array(ids))
        return Dictionary(users.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Whom an action of the team may be given to, in order of their names: its members, and for a guest themselves.
    /// - Throws: `AppError.notFound`.
    public func candidates(for reader: ActionReader) async throws -> [User] {
        let own = reader.membership.userID
        let ids =
            reader.isGuest ? [own] : try await stores.teams.members(of: reader.membership.teamID).map(\.userID)
        return try await stores.users.list(ids: ids)
            .sorted { $0.name.localizedStandardCompare($1.name) == .orderedAscending }
    }

    /// A new action, to do, in the sprint that runs.
    /// - Throws: `AppError`: `notFound`, `forbidden`, `refused` with a reason.
    public func add(_ content: ActionContent, to teamID: Team.ID, by userID: User.ID) async throws -> Action {
        let reader = try await reader(userID, in: teamID)
        guard reader.manages else { throw AppError.leadsOnly }
        let action = Action(
            teamID: teamID, content: reader.keepingPromise(try content.validated()),
            made: try await runningSprint(of: teamID))
        try await stores.actions.insert(action, at: .standard(in: action.state))
        return action
    }

    /// Changes what `change` names.
    /// - Returns: the action as it is now.
    /// - Throws: `AppError`: `notFound`, `forbidden`, `refused` with a reason, `conflict` (`changed-meanwhile`) if somebody
    ///   else was faster; then nothing was changed.
    public func change(
        _ id: Action.ID, of teamID: Team.ID, _ change: ActionChange, by userID: User.ID
    ) async throws -> Action {
        let reader = try await reader(userID, in: teamID)
        var action = try await action(id, of: teamID)
        guard change.changesContent ? reader.manages : reader.mayMove(action) else { throw AppError.leadsOnly }
        guard action.version == change.version else { throw AppError.actionChanged }
        var place = change.place
        if change.changesContent {
            let former = action.content.assignee
            action.content = reader.keepingPromise(try change.applied(to: action.content))
            // Whom a guest cannot see, they do not take away by sending back what they see.
            if reader.isGuest, action.content.assignee == nil, former != userID { action.content.assignee = former }
        }
        if let state = change.state, state != action.state {
            place = place ?? .standard(in: state)
            action.move(to: state, in: try await runningSprint(of: teamID))
        }
        return reader.view(of: try await stores.actions.update(action, at: place))
    }

    /// Removes an action for good.
    /// - Parameter version: the one whose removal was decided.
    /// - Throws: `AppError`: `notFound`, `forbidden`, `conflict` (`changed-meanwhile`).
    public func delete(_ id: Action.ID, of teamID: Team.ID, version: Int, by userID: User.ID) async throws {
        let reader = try await reader(userID, in: teamID)
        guard reader.manages else { throw AppError.leadsOnly }
        _ = try await action(id, of: teamID)
        try await stores.actions.delete(id: id, version: version)
    }

    private func action(_ id: Action.ID, of teamID: Team.ID) async throws -> Action {
        guard let action = try await stores.actions.find(id: id), action.teamID == teamID else {
            throw AppError.noSuchAction
        }
        return action
    }

    private func runningSprint(of teamID: Team.ID) async throws -> ActionSprint {
        ActionSprint(try await sprints.runningSprint(of: teamID))
    }
}
