import Hummingbird
import Services

/// The part of OpenID login that apps use.
struct SingleSignOnAPIController: Sendable {
    let providers: [SingleSignOnProvider]
    let codes: LoginCodes
    let logins: LoginService

    private struct ProviderResponse: Encodable {
        let id: String
        /// Label for a button.
        let name: String
        /// URL for the app to open in a browser.
        let url: String
    }

    /// `GET /api/v1/auth/providers`: in the order of the settings.
    func list(_ request: Request, context: AppRequestContext) throws -> Response {
        try JSONBody.response([
            "providers": providers.map { provider in
                ProviderResponse(id: provider.settings.id, name: provider.settings.name, url: provider.startURL)
            }
        ])
    }

    private struct ExchangeRequest: Decodable {
        /// The code shown on the page after login.
        let code: String
        /// Name of the device in the list of sessions; defaults to the client's user agent.
        let device: String?
    }

    /// `POST /api/v1/auth/exchange`: returns tokens for the code that the page shows after a login.
    func exchange(_ request: Request, context: AppRequestContext) async throws -> Response {
        let body = try await request.json(as: ExchangeRequest.self)
        let login = try await codes.exchange(body.code, device: body.device ?? request.device, through: logins)
        return try JSONBody.response(TokenResponse(login))
    }
}
