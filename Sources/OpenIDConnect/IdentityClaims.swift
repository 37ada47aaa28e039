/// Who somebody is at a provider, after every check (OpenID Connect Core 1.0 §5.1).
public struct IdentityClaims: Sendable {
    /// The provider.
    public let issuer: String
    /// The person there: never given to anybody else, unlike an address.
    public let subject: String
    private let claims: [String: ClaimValue]

    init(issuer: String, subject: String, claims: [String: ClaimValue]) {
        self.issuer = issuer
        self.subject = subject
        self.claims = claims
    }

    /// The e-mail address, verified or not.
    public var email: String? { claims["email"]?.text }
    /// Whether the provider has made sure that the address is this person's.
    public var isEmailVerified: Bool { claims["email_verified"]?.isTrue ?? false }
    /// The whole name.
    public var name: String? { claims["name"]?.text }
    /// What the person wants to be called by; not unique.
    public var preferredUsername: String? { claims["preferred_username"]?.text }
    /// BCP 47.
    public var locale: String? { claims["locale"]?.text }

    /// The texts of a claim of any name, such as `groups`; a point leads into an object, as in `realm_access.roles`,
    /// unless there is a claim of the whole name.
    public func texts(of claim: String) -> [String] {
        if let value = claims[claim] { return value.texts }
        var value = ClaimValue.object(claims)
        for step in claim.split(separator: ".") {
            guard case .object(let members) = value, let next = members[String(step)] else { return [] }
            value = next
        }
        return value.texts
    }

    /// These, and those of the user info that are not there yet: what is signed comes first.
    func adding(_ others: [String: ClaimValue]) -> IdentityClaims {
        // Address and whether it is verified belong together, and come from one place.
        let pair = claims["email"] == nil ? others : claims
        var merged = claims.merging(others) { own, _ in own }
        for name in ["email", "email_verified"] { merged[name] = pair[name] }
        return IdentityClaims(issuer: issuer, subject: subject, claims: merged)
    }
}
