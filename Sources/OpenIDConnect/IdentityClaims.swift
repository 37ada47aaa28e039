/// A user's identity at a provider, after all checks (OpenID Connect Core 1.0 §5.1).
package struct IdentityClaims: Sendable {
    /// The provider's `iss`.
    package let issuer: String
    /// The user's id at the provider: never reassigned, unlike an address.
    package let subject: String
    private let claims: [String: ClaimValue]

    init(issuer: String, subject: String, claims: [String: ClaimValue]) {
        self.issuer = issuer
        self.subject = subject
        self.claims = claims
    }

    /// The e-mail address, verified or not.
    package var email: String? { claims["email"]?.text }
    /// Whether the provider has verified that the address belongs to the user.
    package var isEmailVerified: Bool { claims["email_verified"]?.isTrue ?? false }
    /// The full name.
    package var name: String? { claims["name"]?.text }
    /// The name that the user prefers; not unique.
    package var preferredUsername: String? { claims["preferred_username"]?.text }
    /// BCP 47 language tag.
    package var locale: String? { claims["locale"]?.text }

    /// The strings of any claim, such as `groups`. A dot leads into an object, as in `realm_access.roles`, unless there
    /// is a claim of the whole name.
    package func texts(of claim: String) -> [String] {
        if let value = claims[claim] { return value.texts }
        var value = ClaimValue.object(claims)
        for step in claim.split(separator: ".") {
            guard case .object(let members) = value, let next = members[String(step)] else { return [] }
            value = next
        }
        return value.texts
    }

    /// These claims plus those of the user info that are missing here: signed claims take precedence.
    func adding(_ others: [String: ClaimValue]) -> IdentityClaims {
        // Address and verification flag belong together, so both come from the same source.
        let pair = claims["email"] == nil ? others : claims
        var merged = claims.merging(others) { own, _ in own }
        for name in ["email", "email_verified"] { merged[name] = pair[name] }
        return IdentityClaims(issuer: issuer, subject: subject, claims: merged)
    }
}
