import Domain
import Foundation
import Hummingbird
import Services

/// Logs in and out of the API and refreshes tokens.
struct AuthenticationController: Sendable {
    let logins: LoginService
    let clientAddress: ClientAddress

    private struct LoginRequest: Decodable {
        /// User name or e-mail address.
        let username: String
        let password: String
        /// Name of the device in the list of sessions; defaults to the client's user agent.
        let device: String?
    }

    /// `POST /api/v1/auth/login`
    func logIn(_ request: Request, context: AppRequestContext) async throws -> Response {
        let body = try await request.json(as: LoginRequest.self)
        let result = try await logins.logIn(
            login: body.username, password: body.password, device: body.device ?? request.device,
            address: clientAddress.of(request, context: context), lifetime: .rotating)
        return try JSONBody.response(TokenResponse(result))
    }

    private struct RefreshRequest: Decodable {
        let refreshToken: String
    }

    /// `POST /api/v1/auth/refresh`: each refresh token is valid once; a repeat within 30 s returns the same new token.
    func refresh(_ request: Request, context: AppRequestContext) async throws -> Response {
        let body = try await request.json(as: RefreshRequest.self)
        return try JSONBody.response(TokenResponse(try await logins.refresh(body.refreshToken)))
    }

    /// `POST /api/v1/auth/logout`: ends the token's session.
    func logOut(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await logins.logOut(try context.requirePrincipal())
        return Response(status: .noContent)
    }
}

/// A new pair of tokens (field meanings as in RFC 6749 §5.1).
struct TokenResponse: Encodable {
    let accessToken: String
    let tokenType = "Bearer"
    /// Seconds.
    let expiresIn: Int
    let refreshToken: String?

    init(_ login: Login) {
        accessToken = login.accessToken
        expiresIn = login.expiresIn
        refreshToken = login.refreshToken
    }

    private enum CodingKeys: CodingKey {
        case accessToken, tokenType, expiresIn, refreshToken
    }
}
