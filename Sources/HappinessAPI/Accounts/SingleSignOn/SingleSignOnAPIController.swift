import Hummingbird
import Shared

/// Logging in through an OpenID provider, as far as apps have to do with it.
struct SingleSignOnAPIController: Sendable {
    let providers: [SignOnProvider]
    let codes: LogInCodes
    let logIns: LogInService

    private struct ProviderResponse: Encodable {
        let id: String
        /// For a button.
        let name: String
        /// To open in a browser.
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
        /// From the page.
        let code: String
        /// What the device is called in the list of sessions; the client's own name by default.
        let device: String?
    }

    /// `POST /api/v1/auth/exchange`: tokens for the code that the page at the end of a log-in shows.
    func exchange(_ request: Request, context: AppRequestContext) async throws -> Response {
        let body = try await request.json(as: ExchangeRequest.self)
        let logIn = try await codes.exchange(body.code, device: body.device ?? request.device, through: logIns)
        return try JSONBody.response(TokenResponse(logIn))
    }
}
