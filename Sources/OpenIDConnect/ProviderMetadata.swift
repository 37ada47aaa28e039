/// What a provider says about itself (OpenID Connect Discovery 1.0 §3), as far as it is used.
struct ProviderMetadata: Decodable, Sendable {
    let issuer: String
    let authorizationEndpoint: String
    let tokenEndpoint: String
    let jwksURI: String
    let userInfoEndpoint: String?
    /// How a client proves at the token endpoint who it is; none named means `client_secret_basic`.
    let tokenAuthenticationMethods: [String]?
    /// Whether `iss` is in every answer of the authorization endpoint (RFC 9207 §3).
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

    /// Whether the client's secret goes into the form instead of a header.
    var takesSecretInForm: Bool {
        guard let methods = tokenAuthenticationMethods else { return false }
        return !methods.contains("client_secret_basic") && methods.contains("client_secret_post")
    }

    /// - Throws: `OpenIDError.unavailable` unless it is the issuer's own (§4.3: exactly the same text), and every address
    ///   may be used.
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
