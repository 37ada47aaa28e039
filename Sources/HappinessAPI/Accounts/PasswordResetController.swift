import Domain
import Hummingbird
import Services

/// Password reset for programs. `PasswordResetPageController` does the same for people.
struct PasswordResetController: Sendable {
    let resets: PasswordResetService
    let clientAddress: ClientAddress
    let answers: AnswerLanguage

    private struct MailRequest: Decodable {
        let email: String
    }

    /// `POST /api/v1/auth/password-reset`: always 202, whether or not the address has an account, and without waiting
    /// for the mail to be sent.
    func requestMail(_ request: Request, context: AppRequestContext) async throws -> Response {
        let body = try await request.json(as: MailRequest.self)
        try await resets.request(for: try EmailAddress(body.email), from: clientAddress.of(request, context: context))
        return try await answers.response(Self.mailRequested, to: request, of: nil, status: .accepted)
    }

    /// `GET /user/sendPasswordResetMail?email=`, as the first clients call it. It only requests a mail.
    func requestMailClassic(_ request: Request, context: AppRequestContext) async throws -> Response {
        guard let text = request.query("email") else {
            throw AppError(.malformed, "Please give your e-mail address.")
        }
        try await resets.request(for: try EmailAddress(text), from: clientAddress.of(request, context: context))
        return try await answers.response(Self.mailRequested, to: request, of: nil)
    }

    private static let mailRequested = Sentence(
        "If there’s an account with this e-mail address, an e-mail with a link to reset its password is on its way.")

    private struct Confirmation: Decodable {
        let token: String
        let password: String
    }

    /// `POST /api/v1/auth/password-reset/confirm`: sets the password; each token works once.
    func confirm(_ request: Request, context: AppRequestContext) async throws -> Response {
        let body = try await request.json(as: Confirmation.self)
        try await resets.reset(body.token, to: body.password)
        return Response(status: .noContent)
    }
}
