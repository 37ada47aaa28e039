import Foundation
import Hummingbird
import Shared

/// `/user/*` as the first clients call it.
struct ClassicUserController: Sendable {
    let logIns: LogInService
    let passwords: PasswordChangeService
    let accounts: AccountService
    let stores: Stores
    let clientAddress: ClientAddress
    let links: PictureLinks

    private struct LogInRequest: Decodable {
        let username: String
        let password: String
    }

    private struct LogInResponse: Encodable {
        let message: String
        let accessToken: String
        let email: String
    }

    /// `POST /user/login`: a user name or an e-mail address, and one token that lives for weeks.
    func logIn(_ request: Request, context: AppRequestContext) async throws -> Response {
        let body = try await ClassicBody.decode(LogInRequest.self, from: request)
        guard !body.username.isEmpty, !body.password.isEmpty else {
            throw AppError(.malformed, "User name and password must not be empty.")
        }
        let result = try await logIns.logIn(
            login: body.username, password: body.password, device: request.device,
            address: clientAddress.of(request, context: context), lifetime: .classic)
        return try JSONBody.response(
            LogInResponse(message: "Logged in", accessToken: result.accessToken, email: result.user.email))
    }

    private struct ProfileResponse: Encodable {
        let message: String
        let username: String
        let email: String
        let profilePictureLink: String
    }

    /// `GET /user/profile`
    func profile(_ request: Request, context: AppRequestContext) async throws -> Response {
        guard let user = try await stores.users.find(id: try context.requirePrincipal().userID) else {
            throw AppError.sessionEnded
        }
        return try JSONBody.response(
            ProfileResponse(
                message: "Profile of \(user.name)", username: user.name, email: user.email,
                profilePictureLink: links.link(toPictureOf: user, .large, .jpeg).url))
    }

    private struct ChangePasswordRequest: Decodable {
        let oldPassword: String
        let newPassword: String
    }

    /// `POST /user/changePassword`: every other session ends, the present one goes on.
    func changePassword(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal()
        let body = try await ClassicBody.decode(ChangePasswordRequest.self, from: request)
        do {
            try await passwords.change(from: body.oldPassword, to: body.newPassword, by: caller)
        } catch let error as AppError where error.reason == "wrong-password" {
            // 401 would send the first clients to the log-in, and 403 is none they know.
            throw AppError(.refused, error.message, reason: error.reason)
        }
        return try JSONBody.response(ClassicMessage(message: "Your password was changed."))
    }

    /// `DELETE /user/deleteAccount`: with no body, for the first clients ask their user and send nothing but the token.
    func deleteAccount(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await accounts.delete(try context.requirePrincipal(), proof: .token)
        return try JSONBody.response(ClassicMessage(message: "Your account was deleted."))
    }
}
