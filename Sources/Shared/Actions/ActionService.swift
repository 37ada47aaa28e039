public import Foundation

/// A team's actions: who may do what.
///
/// Members read the board, guests among them. Leads make, change, move and delete; whoever sees to an action moves it. An
/// administrator who is not in the team reads nothing, for actions hold what was written as feedback. To anybody else the
/// team does not exist. Read from the stores each time, so that a change of roles counts at once.
public struct ActionService: Sendable {
    /// Finished actions a board shows; the open ones it shows all.
    public static let shownDone = 100
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

    /// The actions that began in a sprint. Every member reads them alike.
    /// - Parameter sprint: its first instant.
    /// - Throws: `AppError.notFound`.
    public func begun(of teamID: Team.ID, in sprint: Date, by userID: User.ID) async throws -> [BegunAction] {
        guard try await stores.teams.membership(of: userID, in: teamID) != nil else { throw AppError.noSuchTeam }
        return try await stores.actions.listBegun(teamID: teamID, in: sprint, limit: Self.shownInSprint)
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

    /// Who may read a copy of a feedback: all only where the writers of its sprint were told so, and the team and each of
    /// its sprints that takes feedback tell them so now.
    /// - Parameter sprint: the one that the feedback is of; `nil` where that is not known, which is for leads alone.
    public func readersOfQuote(
        from sprint: SprintLabel?, in teamID: Team.ID
    ) async throws -> Team.FeedbackReaders {
        guard let sprint, try await feedbackReadersNow(in: teamID) == .team,
            let record = try await stores.sprints.find(teamID: teamID, label: sprint)
        else { return .leads }
        return record.sprint.feedbackReaders
    }

    /// A new action, to do, in the sprint that runs.
    /// - Parameter sprint: the one whose feedback is quoted. It decides who reads the quote, and is not kept.
    /// - Throws: `AppError`: `notFound`, `forbidden`, `refused` with a reason.
    public func add(
        _ content: ActionContent, quoting sprint: SprintLabel? = nil, to teamID: Team.ID, by userID: User.ID
    ) async throws -> Action {
        let reader = try await reader(userID, in: teamID)
        guard reader.manages else { throw AppError.leadsOnly }
        var content = try content.validated()
        if content.quote != nil, content.quoteReaders == .team {
            content.quoteReaders = try await readersOfQuote(from: sprint, in: teamID)
        }
        let action = Action(teamID: teamID, content: content, made: try await runningSprint(of: teamID))
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
            let former = action.content
            action.content = try await keepingPromise(try change.applied(to: former), of: former, in: teamID)
            // Whom a guest cannot see, they do not take away by sending back what they see.
            if reader.isGuest, action.content.assignee == nil, former.assignee != userID {
                action.content.assignee = former.assignee
            }
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

    /// The changed content with a quote that nobody reads who did not before: one for leads stays theirs, one that comes
    /// new is theirs, and another text is for no more than may read today's feedback.
    private func keepingPromise(
        _ content: ActionContent, of former: ActionContent, in teamID: Team.ID
    ) async throws -> ActionContent {
        guard content.quote != nil, content.quote != former.quote || content.quoteReaders != former.quoteReaders
        else { return content }
        var kept = content
        if former.quote == nil {
            kept.quoteReaders = .leads
        } else if content.quoteReaders == .team {
            guard former.quoteReaders == .team else { throw AppError.quoteForLeads }
            kept.quoteReaders = try await feedbackReadersNow(in: teamID)
        }
        return kept
    }

    /// Who reads the feedback by the team's present rules and by those of its sprints that take some: the stricter ones.
    private func feedbackReadersNow(in teamID: Team.ID) async throws -> Team.FeedbackReaders {
        let open = try await sprints.openSprints(of: teamID).map(\.feedbackReaders)
        let team = try await stores.teams.find(id: teamID)?.settings.feedbackReaders ?? .leads
        return (open + [team]).allSatisfy { $0 == .team } ? .team : .leads
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
