/// The used part of a provider's metadata (OpenID Connect Discovery 1.0 §3).
struct ProviderMetadata: Decodable, Sendable {
    let issuer: String
    let authorizationEndpoint: String
    let tokenEndpoint: String
    let jwksURI: String
    let userInfoEndpoint: String?
    /// How a client may authenticate at the token endpoint; if missing, `client_secret_basic`.
    let tokenAuthenticationMethods: [String]?
    /// Whether every response of the authorization endpoint contains `iss` (RFC 9207 §3).
    let namesItselfInAnswers: Bool?

    private enum CodingKeys: String, CodingKey {
        case issuer
        case authorizationEndpoint = "authorization_endpoint"
        case tokenEndpoint = "token_endpoint"
        case jwksURI = "jwks_uri"
        case userInfoEndpoint = "userinfo_endpoint"
        case tokenAuthenticationMethods = "token_endpoint_auth_methods_supported"
        case namesItselfInAnswers = "authorization_response_iss_parameter_supported"
    }

    /// Whether to send the client's secret in the form instead of a header.
    var takesSecretInForm: Bool {
        guard let methods = tokenAuthenticationMethods else { return false }
        return !methods.contains("client_secret_basic") && methods.contains("client_secret_post")
    }

    /// - Throws: `OpenIDError.unavailable` unless the issuer is exactly the expected text (§4.3) and all addresses are
    ///   allowed.
    func validate(issuer expected: String) throws {
        guard issuer == expected else {
            throw OpenIDError.unavailable("its discovery document names another issuer than the setting")
        }
        let addresses = [authorizationEndpoint, tokenEndpoint, jwksURI] + [userInfoEndpoint].compactMap { $0 }
        guard addresses.allSatisfy(ProviderAddress.isAllowed) else {
            throw OpenIDError.unavailable("its discovery document has an address without https")
        }
    }
}
