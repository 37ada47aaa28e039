import Domain
import Hummingbird
import Services

/// Other users' accounts, for administrators.
struct UserController: Sendable {
    let people: UserAdministrationService

    /// `GET /api/v1/admin/people?search=&after=&limit=`
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let page = try await people.list(
            matching: request.query("search") ?? "", after: request.query("after"),
            limit: try request.limit(
                standard: UserAdministrationService.pageSize, maximum: UserAdministrationService.maximumPageSize),
            by: caller)
        return try JSONBody.response(UserListResponse(page))
    }

    /// `GET /api/v1/admin/people/{user}`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        let person = try await people.person(context.userID, by: try context.requirePrincipal().caller)
        return try JSONBody.response(UserResponse(person))
    }

    private struct ChangeRequest: Decodable {
        let role: User.Role?
        let disabled: Bool?
        let email: String?
        /// The caller's own, for another role or address.
        let password: String?
    }

    /// `PATCH /api/v1/admin/people/{user}`: changes only the fields in the body.
    func change(_ request: Request, context: AppRequestContext) async throws -> Response {
        let principal = try context.requirePrincipal()
        let body = try await request.json(as: ChangeRequest.self)
        let change = UserChange(
            role: body.role, isDisabled: body.disabled, email: try body.email.map { try EmailAddress($0) })
        let person = try await people.change(context.userID, change, password: body.password, by: principal)
        return try JSONBody.response(UserResponse(person))
    }

    /// `DELETE /api/v1/admin/people/{user}`
    func delete(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await people.delete(context.userID, by: try context.requirePrincipal().caller)
        return Response(status: .noContent)
    }

    /// `POST /api/v1/admin/people/{user}/end-sessions`
    func endSessions(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await people.endSessions(of: context.userID, by: try context.requirePrincipal().caller)
        return Response(status: .noContent)
    }

    /// `DELETE /api/v1/admin/people/{user}/address-fault`
    func liftAddressFault(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await people.liftAddressFault(of: context.userID, by: try context.requirePrincipal().caller)
        return Response(status: .noContent)
    }

    /// `POST /api/v1/admin/people/{user}/password-reset`: queues a mail with a link.
    func resetPassword(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await people.sendPasswordReset(to: context.userID, by: try context.requirePrincipal().caller)
        return Response(status: .accepted)
    }
}
