import Hummingbird
import Shared

/// A forgotten password, for programs. `PasswordResetPages` has the same for people.
struct PasswordResetController: Sendable {
    let resets: PasswordResetService
    let clientAddress: ClientAddress

    private struct MailRequest: Decodable {
        let email: String
    }

    /// `POST /api/v1/auth/password-reset`: the same 202 whoever has the address, and nobody waits for a mail.
    func requestMail(_ request: Request, context: AppRequestContext) async throws -> Response {
        let body = try await request.json(as: MailRequest.self)
        try await resets.request(
            for: try EmailAddress(body.email), from: clientAddress.of(request, context: context))
        return try JSONBody.response(ClassicMessage(message: Self.mailRequested), status: .accepted)
    }

    /// `GET /user/sendPasswordResetMail?email=`, as the first clients call it. It only asks for a mail.
    func requestMailClassic(_ request: Request, context: AppRequestContext) async throws -> Response {
        guard let text = request.query("email") else {
            throw AppError(.malformed, "Please give your e-mail address.")
        }
        try await resets.request(for: try EmailAddress(text), from: clientAddress.of(request, context: context))
        return try JSONBody.response(ClassicMessage(message: Self.mailRequested))
    }

    private static let mailRequested =
        "If there is an account with this e-mail address, a mail with a link to reset its password is on its way."

    private struct Confirmation: Decodable {
        let token: String
        let password: String
    }

    /// `POST /api/v1/auth/password-reset/confirm`: sets the password, once per token.
    func confirm(_ request: Request, context: AppRequestContext) async throws -> Response {
        let body = try await request.json(as: Confirmation.self)
        try await resets.reset(body.token, to: body.password)
        return Response(status: .noContent)
    }
}
