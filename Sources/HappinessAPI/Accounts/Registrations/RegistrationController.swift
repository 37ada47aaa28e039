import Domain
import Hummingbird
import Services

/// Registration of new accounts. The responses do not reveal whether an address has an account.
struct RegistrationController: Sendable {
    let registrations: RegistrationService
    let clientAddress: ClientAddress
    let answers: AnswerLanguage

    private struct RegisterRequest: Decodable {
        let username: String
        let email: String
        let password: String
        let locale: MailLocale?
    }

    /// `POST /api/v1/registrations`
    func register(_ request: Request, context: AppRequestContext) async throws -> Response {
        let body = try await request.json(as: RegisterRequest.self)
        try await registrations.register(
            RegistrationService.Request(
                name: body.username, email: body.email, password: body.password, locale: body.locale ?? .english),
            from: clientAddress.of(request, context: context))
        return try await answers.response(
            Sentence("If this address has no account yet, an e-mail with a link is on its way."), to: request, of: nil,
            status: .accepted)
    }

    private struct ResendRequest: Decodable {
        let email: String
    }

    /// `POST /api/v1/registrations/resend`
    func resend(_ request: Request, context: AppRequestContext) async throws -> Response {
        let body = try await request.json(as: ResendRequest.self)
        try await registrations.resend(email: body.email, from: clientAddress.of(request, context: context))
        return try await answers.response(
            Sentence("If a registration is waiting for this address, an e-mail with a link is on its way."),
            to: request, of: nil, status: .accepted)
    }
}
