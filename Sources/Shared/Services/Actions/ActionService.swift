package import Domain
package import Foundation
package import Ports
package import Storage

/// A team's actions and who may do what with them.
///
/// All members read the board, including guests, and say "me too". Leads create, change, move and delete actions; an
/// assignee may move their own, and members may add some unless the team reserves that for leads. An administrator who
/// is not in the team reads nothing, because actions contain feedback. To any other caller the team does not exist. The
/// rules read the stores each time, so a change of roles applies immediately.
package struct ActionService: Sendable {
    /// Maximum number of finished actions on a board; it shows all open ones.
    package static let shownDone = 100
    /// Maximum number of actions on a sprint's page.
    package static let shownInSprint = 100
    /// Number of actions to do among which `oneToShow` chooses.
    package static let compared = 20
    /// Number of actions that a member who is not a lead may add within `addedWindow`.
    package static let addedLimit = 20
    /// Seconds: a day.
    static let addedWindow: TimeInterval = 86_400

    private let store: any Store
    private let sprints: SprintService
    private let secret: BallotSecret
    private let clock: WallClock

    /// - Parameters:
    ///   - sprints: determines the sprint in which an action is created or begins.
    ///   - secret: the key for marks of who supports an action.
    package init(stores: Stores, sprints: SprintService, secret: BallotSecret, clock: WallClock) {
        store = stores.rows
        self.sprints = sprints
        self.secret = secret
        self.clock = clock
    }

    /// The whole board.
    /// - Throws: `AppError.notFound`.
    package func board(of teamID: Team.ID, by userID: User.ID) async throws -> ActionBoard {
        let reader = try await reader(userID, in: teamID)
        var columns: [ActionBoard.Column] = []
        for state in Action.State.allCases {
            let limit = state.isOpen ? Action.maximumOpen : Self.shownDone
            let actions = try await store.read { try $0.actions(of: teamID, state: state, limit: limit + 1) }
            columns.append(
                ActionBoard.Column(
                    state: state, actions: actions.prefix(limit).map(reader.view), hasMore: actions.count > limit))
        }
        return ActionBoard(
            columns: columns, supporters: try await supporters(of: columns.flatMap(\.actions), for: userID),
            reader: reader)
    }

    /// How many members support each of these actions, and which of them the reader supports. The caller must have
    /// checked that the reader is in the team.
    package func supporters(of actions: [Action], for userID: User.ID) async throws -> ActionSupporters {
        guard !actions.isEmpty else { return ActionSupporters() }
        let ids = actions.map(\.id)
        let own = ids.map { ActionSupport(of: $0, by: userID, secret: secret) }
        return try await store.read {
            ActionSupporters(counts: try $0.supporterCounts(of: ids), own: try $0.supported(among: own))
        }
    }

    /// The one open action that is named where members vote (`Action.oneToShow`); `nil` if none is open. It costs one
    /// read, and four if no action is in progress.
    package func oneToShow(for reader: ActionReader) async throws -> Action? {
        let begun = try await actions(.inProgress, for: reader, limit: 1)
        let toDo = try await begun.isEmpty ? actions(.toDo, for: reader, limit: Self.compared) : []
        let onHold = try await begun.isEmpty && toDo.isEmpty ? actions(.onHold, for: reader, limit: 1) : []
        let chosen = Action.oneToShow(
            among: [.inProgress: begun, .toDo: toDo, .onHold: onHold],
            supporters: try await supporters(of: toDo, for: reader.membership.userID))
        return chosen.map(reader.view)
    }

    /// The beginning of a column.
    private func actions(_ state: Action.State, for reader: ActionReader, limit: Int) async throws -> [Action] {
        let teamID = reader.membership.teamID
        return try await store.read { try $0.actions(of: teamID, state: state, limit: limit) }
    }

    /// The first open actions, those in progress before those to do and those on hold; in each the order of the board.
    package func open(for reader: ActionReader, limit: Int) async throws -> [Action] {
        var found: [Action] = []
        for state in [Action.State.inProgress, .toDo, .onHold] where found.count < limit {
            found += try await store.read { [found] rows in
                try rows.actions(of: reader.membership.teamID, state: state, limit: limit - found.count)
            }
        }
        return found.map(reader.view)
    }

    /// Every action as this member sees it, and the assignees by id.
    /// - Throws: `AppError.notFound`.
    package func all(
        of teamID: Team.ID, by userID: User.ID
    ) async throws -> (actions: [Action], assignees: [User.ID: User]) {
        let reader = try await reader(userID, in: teamID)
        var found: [Action] = []
        for state in Action.State.allCases {
            found += try await store.read { try $0.actions(of: teamID, state: state, limit: Action.maximumKept) }
        }
        return (found.map(reader.view), try await assignees(of: found))
    }

    /// One action, and the member who reads it.
    /// - Throws: `AppError.notFound`.
    package func find(
        _ id: Action.ID, of teamID: Team.ID, by userID: User.ID
    ) async throws -> (action: Action, reader: ActionReader) {
        let reader = try await reader(userID, in: teamID)
        return (reader.view(of: try await action(id, of: teamID)), reader)
    }

    /// The actions that began in a sprint. The result is the same for every member.
    /// - Parameter sprint: its first instant.
    /// - Throws: `AppError.notFound`.
    package func begun(of teamID: Team.ID, in sprint: Date, by userID: User.ID) async throws -> [BegunAction] {
        guard try await store.membership(of: userID, in: teamID) != nil else { throw AppError.noSuchTeam }
        return try await store.read { try $0.begunActions(of: teamID, in: sprint, limit: Self.shownInSprint) }
    }

    /// The facts about a member who reads a team's actions.
    /// - Throws: `AppError.notFound` if the user is not a member.
    package func reader(_ userID: User.ID, in teamID: Team.ID) async throws -> ActionReader {
        guard let membership = try await store.membership(of: userID, in: teamID),
            let user = try await store.user(userID), let team = try await store.team(teamID)
        else { throw AppError.noSuchTeam }
        return ActionReader(membership: membership, isGuest: user.role == .guest, settings: team.settings)
    }

    /// Requires a member who may add actions; as `requireManager`.
    /// - Throws: `AppError`: `notFound`, `forbidden`.
    package func requireAuthor(_ userID: User.ID, of teamID: Team.ID) async throws {
        guard try await reader(userID, in: teamID).mayAdd else { throw AppError.leadsOnly }
    }

    /// Requires a member who may change and delete the team's actions; for callers that have not read the rest of a
    /// request yet.
    /// - Throws: `AppError`: `notFound`, `forbidden`.
    package func requireManager(_ userID: User.ID, of teamID: Team.ID) async throws {
        guard try await reader(userID, in: teamID).manages else { throw AppError.leadsOnly }
    }

    /// Requires a member who may at least move the action; as `requireManager`.
    /// - Throws: `AppError`: `notFound`, `forbidden`.
    package func requireMover(_ userID: User.ID, of id: Action.ID, in teamID: Team.ID) async throws {
        let reader = try await reader(userID, in: teamID)
        guard reader.mayMove(try await action(id, of: teamID)) else { throw AppError.leadsOnly }
    }

    /// The assignees of some actions, by id.
    package func assignees(of actions: [Action]) async throws -> [User.ID: User] {
        let ids = Set(actions.compactMap(\.content.assignee))
        guard !ids.isEmpty else { return [:] }
        let users = try await store.read { try $0.users(Array(ids)) }
        return Dictionary(users.map { ($0.id, $0) }) { first, _ in first }
    }

    /// The people whom the reader may make responsible for an action, ordered by name: for a lead all members, for
    /// others and for a guest only themselves.
    /// - Throws: `AppError.notFound`.
    package func candidates(for reader: ActionReader) async throws -> [User] {
        let own = reader.membership.userID
        let ids =
            reader.isGuest || !reader.manages
            ? [own] : try await store.read { try $0.members(of: reader.membership.teamID) }.map(\.userID)
        return try await store.read { try $0.users(ids) }
            .sorted { $0.name.localizedStandardCompare($1.name) == .orderedAscending }
    }

    /// Who may read a copy of a feedback: all members only if that was announced to the writers of its sprint, and is
    /// still announced by the team and by each of its sprints that accepts feedback.
    /// - Parameter sprint: the sprint of the feedback; `nil` if unknown, which restricts the copy to leads.
    package func readersOfQuote(
        from sprint: SprintLabel?, in teamID: Team.ID
    ) async throws -> Team.FeedbackReaders {
        guard let sprint, try await feedbackReadersNow(in: teamID) == .team,
            let record = try await store.read({ try $0.sprint(of: teamID, labelled: sprint) })
        else { return .leads }
        return record.sprint.feedbackReaders
    }

    /// Creates an action in `toDo`, in the running sprint. A member who is not a lead can add `addedLimit` within a day,
    /// without a quote, and for nobody but themselves.
    /// - Parameter sprint: the sprint whose feedback is quoted. It decides who may read the quote, and is not stored.
    /// - Throws: `AppError`: `notFound`, `forbidden`, `unprocessable` with a reason, `tooManyRequests`
    ///   (`too-many-new-actions`).
    package func add(
        _ content: ActionContent, quoting sprint: SprintLabel? = nil, to teamID: Team.ID, by userID: User.ID
    ) async throws -> Action {
        let reader = try await reader(userID, in: teamID)
        guard reader.mayAdd else { throw AppError.leadsOnly }
        var content = try content.validated()
        if !reader.manages {
            let isForThemselves = content.assignee == nil || content.assignee == userID
            guard content.quote == nil, isForThemselves else { throw AppError.leadsOnly }
            try await takePlace(for: userID)
        }
        if content.quote != nil, content.quoteReaders == .team {
            content.quoteReaders = try await readersOfQuote(from: sprint, in: teamID)
        }
        let action = Action(teamID: teamID, content: content, made: try await runningSprint(of: teamID))
        try await store.transaction { [action] rows in try rows.add(action, at: .standard(in: action.state)) }
        return action
    }

    private func takePlace(for userID: User.ID) async throws {
        // Keyed: an action has no author, and a reader of the store could otherwise try whose places these are.
        let key = SecureBytes.hmac(Data("added actions of \(userID)".utf8), key: secret.key)
        let now = clock.now
        let isFree = try await store.write {
            try $0.takeQuota(key, limit: Self.addedLimit, window: Self.addedWindow, at: now)
        }
        guard isFree else { throw AppError.addedMany(retryAfter: Self.addedWindow) }
    }

    /// Says "me too" to an action, or takes that back; either may be repeated. Neither time nor person is stored
    /// (`ActionSupport`).
    /// - Throws: `AppError.notFound`.
    package func setSupport(
        of id: Action.ID, in teamID: Team.ID, to isSupported: Bool, by userID: User.ID
    ) async throws {
        let support = ActionSupport(of: id, by: userID, secret: secret)
        try await store.transaction { try $0.setSupport(support, to: isSupported, by: userID, in: teamID) }
    }

    /// Changes the values set in `change`.
    /// - Returns: the action after the change.
    /// - Throws: `AppError`: `notFound`, `forbidden`, `unprocessable` with a reason, `conflict` (`changed-meanwhile`) if
    ///   another member was faster; then nothing has changed.
    package func change(
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
            // A guest who sends back what they see must not clear an assignee whom they cannot see.
            if reader.isGuest, action.content.assignee == nil, former.assignee != userID {
                action.content.assignee = former.assignee
            }
        }
        if let state = change.state, state != action.state {
            place = place ?? .standard(in: state)
            action.move(to: state, in: try await runningSprint(of: teamID))
        }
        return reader.view(
            of: try await store.transaction { [action, place] rows in try rows.apply(action, at: place) })
    }

    /// Permanently removes an action.
    /// - Parameter version: the version the decision is based on.
    /// - Throws: `AppError`: `notFound`, `forbidden`, `conflict` (`changed-meanwhile`).
    package func delete(_ id: Action.ID, of teamID: Team.ID, version: Int, by userID: User.ID) async throws {
        let reader = try await reader(userID, in: teamID)
        guard reader.manages else { throw AppError.leadsOnly }
        _ = try await action(id, of: teamID)
        try await store.transaction { try $0.deleteAction(id, version: version) }
    }

    /// The changed content, with a quote that gains no readers: a quote for leads stays restricted to leads, a newly
    /// added one is for leads, and a changed text is readable by at most the readers of today's feedback.
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

    /// The readers of feedback under the team's present rules and those of its sprints that accept feedback: the
    /// stricter ones.
    private func feedbackReadersNow(in teamID: Team.ID) async throws -> Team.FeedbackReaders {
        let open = try await sprints.openSprints(of: teamID).map(\.feedbackReaders)
        let team = try await store.team(teamID)?.settings.feedbackReaders ?? .leads
        return (open + [team]).allSatisfy { $0 == .team } ? .team : .leads
    }

    private func action(_ id: Action.ID, of teamID: Team.ID) async throws -> Action {
        guard let action = try await store.read({ try $0.action(id) }), action.teamID == teamID else {
            throw AppError.noSuchAction
        }
        return action
    }

    private func runningSprint(of teamID: Team.ID) async throws -> ActionSprint {
        ActionSprint(try await sprints.runningSprint(of: teamID))
    }
}
