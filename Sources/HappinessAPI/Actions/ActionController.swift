import Domain
import Hummingbird
import Services

/// A team's actions, for its members: what the team has decided to change.
struct ActionController: Sendable {
    let actions: ActionService

    /// `GET /api/v1/teams/{team}/actions`
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        let board = try await actions.board(of: try context.teamID(), by: try context.requirePrincipal().userID)
        let people = try await actions.assignees(of: board.columns.flatMap(\.actions))
        return try JSONBody.response(ActionBoardResponse(board, people: people))
    }

    /// `POST /api/v1/teams/{team}/actions`
    func add(_ request: Request, context: AppRequestContext) async throws -> Response {
        let userID = try context.requirePrincipal().userID
        let teamID = try context.teamID()
        try await actions.requireAuthor(userID, of: teamID)
        let body = try await request.json(as: NewActionRequest.self)
        let action = try await actions.add(try body.content(), quoting: try body.sprint(), to: teamID, by: userID)
        return try await response(action, to: userID, status: .created)
    }

    /// `GET /api/v1/teams/{team}/actions/{action}`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        let userID = try context.requirePrincipal().userID
        return try await response(
            try await actions.find(try context.actionID(), of: try context.teamID(), by: userID).action, to: userID)
    }

    /// `PATCH /api/v1/teams/{team}/actions/{action}`
    func change(_ request: Request, context: AppRequestContext) async throws -> Response {
        let userID = try context.requirePrincipal().userID
        let (id, teamID) = (try context.actionID(), try context.teamID())
        try await actions.requireMover(userID, of: id, in: teamID)
        let change = try await request.json(as: ActionChangeRequest.self).actionChange
        return try await response(try await actions.change(id, of: teamID, change, by: userID), to: userID)
    }

    /// `DELETE /api/v1/teams/{team}/actions/{action}`; the request names the `version` to delete.
    func delete(_ request: Request, context: AppRequestContext) async throws -> Response {
        let userID = try context.requirePrincipal().userID
        let (id, teamID) = (try context.actionID(), try context.teamID())
        try await actions.requireManager(userID, of: teamID)
        guard let version = request.query("version").flatMap({ Int($0) }) else {
            throw AppError(.malformed, "version must be the number of the version to delete.")
        }
        try await actions.delete(id, of: teamID, version: version, by: userID)
        return Response(status: .noContent)
    }

    /// `PUT /api/v1/teams/{team}/actions/{action}/support`: the caller says "me too".
    func support(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await setSupport(to: true, context)
    }

    /// `DELETE /api/v1/teams/{team}/actions/{action}/support`: the caller takes that back.
    func withdraw(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await setSupport(to: false, context)
    }

    private func setSupport(to isSupported: Bool, _ context: AppRequestContext) async throws -> Response {
        let userID = try context.requirePrincipal().userID
        let (id, teamID) = (try context.actionID(), try context.teamID())
        try await actions.setSupport(of: id, in: teamID, to: isSupported, by: userID)
        return try await response(try await actions.find(id, of: teamID, by: userID).action, to: userID)
    }

    private func response(
        _ action: Action, to userID: User.ID, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let people = try await actions.assignees(of: [action])
        let supporters = try await actions.supporters(of: [action], for: userID)
        return try JSONBody.response(
            ActionResponse(action, people: people, supporters: supporters), status: status)
    }
}

extension AppRequestContext {
    /// The action id in the path.
    /// - Throws: `AppError.notFound`, also for a malformed id.
    func actionID() throws -> Action.ID {
        guard let text = parameters.get("action"), let id = Action.ID(text) else { throw AppError.noSuchAction }
        return id
    }
}
