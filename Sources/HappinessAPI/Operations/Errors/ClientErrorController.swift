import Domain
import Hummingbird
import Services

/// Receives errors that apps report, and lets administrators handle them.
struct ClientErrorController: Sendable {
    let errors: ClientErrorService
    let clientAddress: ClientAddress

    /// Bytes of a report: twice the length of a stack that is stored.
    private static let limit = 16 * 1024

    /// `POST /api/v1/client-errors`, with or without a login.
    func report(_ request: Request, context: AppRequestContext) async throws -> Response {
        let given = try await request.json(as: ClientErrorRequest.self, limit: Self.limit)
        let report = try given.report(
            userAgent: request.headers[.userAgent], isAnonymous: context.principal == nil)
        let sender: ClientErrorService.Sender =
            context.principal.map { .user($0.userID) } ?? .anonymous(clientAddress.of(request, context: context))
        try await errors.report(report, by: sender)
        return Response(status: .noContent)
    }

    /// `GET /api/v1/admin/client-errors?state=`
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let state = try request.choice("state", default: ClientErrorState.open)
        let groups = try await errors.list(isResolved: state == .resolved, by: caller)
        return try JSONBody.response([
            "errors": groups.map { ClientErrorResponse($0, today: errors.today) }
        ])
    }

    private struct ChangeRequest: Decodable {
        let state: ClientErrorState
    }

    /// `PATCH /api/v1/admin/client-errors/{error}`
    func change(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let change = try await request.json(as: ChangeRequest.self)
        let id = context.clientErrorID
        try await errors.resolve(id, change.state == .resolved, by: caller)
        return try JSONBody.response(ClientErrorResponse(try await errors.find(id, by: caller), today: errors.today))
    }

    /// `DELETE /api/v1/admin/client-errors/{error}`
    func delete(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await errors.delete(context.clientErrorID, by: try context.requirePrincipal().caller)
        return Response(status: .noContent)
    }
}

extension AppRequestContext {
    /// The error group's id in the path.
    var clientErrorID: ClientErrorGroup.ID { pathID("error") }
}
