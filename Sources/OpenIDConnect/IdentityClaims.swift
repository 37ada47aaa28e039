import Domain

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
    /// Whether the provider has verified that the address in `email` belongs to the user.
    package var isEmailVerified: Bool {
        if let verified = claims["email_verified"] { return verified.isTrue }
        // Entra ID has no `email_verified`. Its optional claim "email domain owner verified" is true, 1 or "1", but not
        // for an address that someone entered in another tenant
        // (https://learn.microsoft.com/entra/identity-platform/optional-claims-reference).
        guard let isOwners = claims["xms_edov"] else { return false }
        return isOwners.isTrue || isOwners.number == 1 || isOwners.text == "1"
    }
    /// The full name.
    package var name: String? { claims["name"]?.text }
    /// The name that the user prefers; not unique.
    package var preferredUsername: String? { claims["preferred_username"]?.text }
    /// BCP 47 language tag.
    package var locale: String? { claims["locale"]?.text }

    /// An e-mail address of the user.
    package struct Address: Hashable, Sendable {
        /// Valid for `EmailAddress`.
        package let text: String
        /// Whether the provider has verified that it belongs to the user. Providers say that of `email` alone (§5.1).
        package let isVerified: Bool
    }

    /// The first address in these claims; `nil` if none of them has one.
    package func address(in names: [String]) -> Address? {
        for name in names {
            guard let text = claims[name]?.texts.first, (try? EmailAddress(text)) != nil else { continue }
            return Address(text: text, isVerified: name == "email" && isEmailVerified)
        }
        return nil
    }

    /// Whether there is a claim of this name with a text.
    func has(_ name: String) -> Bool { claims[name]?.hasText ?? false }

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
        // Address and verification flag belong together, so all of them come from the same source.
        let source = has("email") ? claims : others
        var merged = claims.merging(others) { own, _ in own }
        for name in ["email", "email_verified", "xms_edov"] { merged[name] = source[name] }
        return IdentityClaims(issuer: issuer, subject: subject, claims: merged)
    }
}
