/// Why somebody could not be logged in through a provider. Texts are for operators: no token, code or personal value.
public enum OpenIDError: Error, Equatable, Sendable {
    /// The provider cannot be reached or is too slow, or what it answered cannot be used.
    case unavailable(String)
    /// The provider does not take the code: used before, too old, or not given to us.
    case codeRefused
    /// The ID token, or what belongs to it, does not pass a check.
    case tokenRefused(TokenFault)
}

/// The check an ID token did not pass (OpenID Connect Core 1.0 §3.1.3.7).
public enum TokenFault: String, Error, Sendable, CaseIterable {
    /// Not a signed JWT with the claims that must be there, or too long.
    case malformed
    /// Signed with something else than RS256 or ES256, or not at all.
    case algorithm
    /// The provider has no such key.
    case unknownKey
    /// The signature is not the key's.
    case signature
    /// Made by another provider.
    case issuer
    /// Made for another client.
    case audience
    /// Given to another client.
    case authorizedParty
    /// Too old.
    case expired
    /// Made in the future, or long before it was asked for.
    case issuedAt
    /// Made for another log-in.
    case nonce
    /// The user info is somebody else's.
    case subject
}
