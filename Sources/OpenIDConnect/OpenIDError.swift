/// Why a login through a provider failed. Texts are for operators: no token, code or personal value.
package enum OpenIDError: Error, Equatable, Sendable {
    /// The provider cannot be reached or is too slow, or its response is unusable.
    case unavailable(String)
    /// The provider rejects the code: already used, expired, or not issued to us.
    case codeRefused
    /// The ID token, or the user info, is not valid.
    case tokenRefused(TokenFault)
}

/// The check that an ID token failed (OpenID Connect Core 1.0 §3.1.3.7).
package enum TokenFault: String, Error, Sendable, CaseIterable {
    /// Not a signed JWT with the required claims, or too long.
    case malformed
    /// Not signed, or with another algorithm than RS256 or ES256.
    case algorithm
    /// The provider has no such key.
    case unknownKey
    /// The signature does not match the key.
    case signature
    /// Issued by another provider.
    case issuer
    /// Issued for another client.
    case audience
    /// Issued to another client.
    case authorizedParty
    /// Too old.
    case expired
    /// Issued in the future, or long before it was requested.
    case issuedAt
    /// Issued for another login.
    case nonce
    /// The user info belongs to another user.
    case subject
}
