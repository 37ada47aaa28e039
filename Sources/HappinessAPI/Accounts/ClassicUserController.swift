import Domain
import Foundation
import Hummingbird
import Services

/// `/user/*` as the first clients call it.
struct ClassicUserController: Sendable {
    let logins: LoginService
    let passwords: PasswordChangeService
    let accounts: AccountService
    let clientAddress: ClientAddress
    let links: PictureLinks
    let answers: AnswerLanguage

    private struct LoginRequest: Decodable {
        let username: String
        let password: String
    }

    private struct LoginResponse: Encodable {
        let message: String
        let accessToken: String
        let email: String
    }

    /// `POST /user/login`: takes a user name or an e-mail address; returns one token that is valid for weeks.
    func logIn(_ request: Request, context: AppRequestContext) async throws -> Response {
        let body = try await ClassicBody.decode(LoginRequest.self, from: request)
        guard !body.username.isEmpty, !body.password.isEmpty else {
            throw AppError(.malformed, "User name and password must not be empty.")
        }
        let result = try await logins.logIn(
            login: body.username, password: body.password, device: request.device,
            address: clientAddress.of(request, context: context), lifetime: .classic)
        let words = answers.words(for: request, of: result.user)
        return try JSONBody.response(
            LoginResponse(
                message: words.text(for: Sentence("Logged in")), accessToken: result.accessToken,
                email: result.user.email), in: words)
    }

    private struct ProfileResponse: Encodable {
        let message: String
        let username: String
        let email: String
        let profilePictureLink: String
    }

    /// `GET /user/profile`
    func profile(_ request: Request, context: AppRequestContext) async throws -> Response {
        let user = try await accounts.account(of: try context.requirePrincipal())
        let words = answers.words(for: request, of: user)
        return try JSONBody.response(
            ProfileResponse(
                message: words.text(for: Sentence("Profile of \(user.name)")), username: user.name, email: user.email,
                profilePictureLink: links.link(toPictureOf: user, .large, .jpeg).url), in: words)
    }

    private struct ChangePasswordRequest: Decodable {
        let oldPassword: String
        let newPassword: String
    }

    /// `POST /user/changePassword`: ends every other session and keeps the current one.
    func changePassword(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal()
        let body = try await ClassicBody.decode(ChangePasswordRequest.self, from: request)
        do {
            try await passwords.change(from: body.oldPassword, to: body.newPassword, by: caller)
        } catch let error as AppError where error.reason == .wrongPassword {
            // On 401 the first clients show the login, and they do not know 403.
            throw AppError(.unprocessable, error.sentence, reason: error.reason)
        }
        return try await answers.response(Sentence("Your password was changed."), to: request, of: caller)
    }

    /// `DELETE /user/deleteAccount`: without a body, since the first clients ask their user and send only the token.
    func deleteAccount(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal()
        // Before there is no account any more that could have a language.
        let words = await answers.words(for: request, of: caller)
        try await accounts.delete(caller, proof: .token)
        return try JSONBody.response(
            ClassicMessage(message: words.text(for: Sentence("Your account was deleted."))), in: words)
    }
}
