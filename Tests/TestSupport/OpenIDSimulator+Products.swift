/// Where providers put the address, and what they say about it.
extension OpenIDSimulator {
    /// A product, as it is set up first.
    package enum Product: String, Sendable, CaseIterable {
        /// Entra ID with the optional claim `email`: nothing says that it is verified.
        case entra
        /// Entra ID with the optional claims `email` and `xms_edov`.
        case entraWithOwner
        /// Entra ID for a person without a mailbox: the address is the user principal name.
        case entraWithoutMailbox
        /// Authentik since 2025.10: `email_verified` is false for everybody.
        case authentik
        /// Keycloak, for a person who has clicked on the link in its mail.
        case keycloak
        case google
        /// The ID token names only the subject.
        case userInfoOnly
    }

    /// From now on, a person logs in at this product.
    package func imitate(_ product: Product, subject: String = "s-1", email: String = "ada@example.org") {
        let others = Self.person.keys.filter { $0 != "sub" }
        change {
            $0.edit = { claims in
                for name in others { claims[name] = nil }
                claims["sub"] = subject
                claims.merge(product.tokenClaims(email: email)) { $1 }
            }
            $0.userInfo = { product.userInfo(email: email).merging(["sub": subject]) { $1 } }
        }
    }
}

extension OpenIDSimulator.Product {
    fileprivate func tokenClaims(email: String) -> [String: Any] {
        switch self {
        case .entra: ["email": email, "preferred_username": email, "tid": "tenant", "name": "Ada Lovelace"]
        case .entraWithOwner: ["email": email, "xms_edov": 1, "preferred_username": email, "tid": "tenant"]
        case .entraWithoutMailbox: ["preferred_username": email, "tid": "tenant", "name": "Ada Lovelace"]
        case .authentik: ["email": email, "email_verified": false, "preferred_username": "ada", "groups": ["staff"]]
        case .keycloak: ["email": email, "email_verified": true, "preferred_username": "ada"]
        case .google: ["email": email, "email_verified": true, "hd": "example.org", "name": "Ada Lovelace"]
        case .userInfoOnly: [:]
        }
    }

    fileprivate func userInfo(email: String) -> [String: Any] {
        switch self {
        case .entraWithoutMailbox: ["name": "Ada Lovelace"]
        case .userInfoOnly: ["email": email, "email_verified": true, "preferred_username": "ada"]
        default: tokenClaims(email: email)
        }
    }
}
