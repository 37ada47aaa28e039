import Domain
import Hummingbird
import Services

/// A user's password and e-mail address. Users change their own, and must send their current password.
struct CredentialsController: Sendable {
    let passwords: PasswordChangeService
    let emails: EmailChangeService
    let answers: AnswerLanguage

    private struct PasswordChange: Decodable {
        let currentPassword: String
        let newPassword: String
    }

    /// `PUT /api/v1/me/password`: ends every other session and keeps the current one.
    func changePassword(_ request: Request, context: AppRequestContext) async throws -> Response {
        let principal = try context.requirePrincipal()
        let body = try await request.json(as: PasswordChange.self)
        try await passwords.change(from: body.currentPassword, to: body.newPassword, by: principal)
        return Response(status: .noContent)
    }

    private struct EmailChange: Decodable {
        let email: String
        let password: String?
    }

    /// `PUT /api/v1/me/email`: mails a link to the new address, which replaces the old one once the link is opened.
    func changeEmail(_ request: Request, context: AppRequestContext) async throws -> Response {
        let principal = try context.requirePrincipal()
        let body = try await request.json(as: EmailChange.self)
        try await emails.request(try EmailAddress(body.email), password: body.password, by: principal)
        return try await answers.response(
            Sentence("We’ve sent a confirmation link to the new address, unless it’s already in use."), to: request,
            of: principal, status: .accepted)
    }
}
