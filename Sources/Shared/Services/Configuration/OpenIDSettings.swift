package import Domain
import Foundation
package import Ports

/// The OpenID Connect providers for login.
///
/// `OIDC_PROVIDERS=company,google` lists them, and each has settings under its name in capitals: `OIDC_COMPANY_ISSUER`
/// and so on.
package struct OpenIDSettings: Sendable {
    /// In the configured order, which is the order of their buttons.
    package let providers: [OpenIDProviderSettings]

    init(reader: SettingsReader) {
        let names = reader.list("OIDC_PROVIDERS")
        guard Set(names).count == names.count, names.allSatisfy({ $0.wholeMatch(of: /[a-z][a-z0-9]{0,30}/) != nil })
        else {
            reader.refuse(
                "OIDC_PROVIDERS",
                expectation: "different names of small letters and digits, separated by commas: company,google")
            // Keys that belong to such names could not be set.
            providers = []
            return
        }
        providers = names.map { OpenIDProviderSettings(id: $0, reader: reader) }
    }

    /// With `COMPANY` in place of any provider's name, as in `.env.example`.
    static let keys = Set(["OIDC_PROVIDERS"] + OpenIDProviderSettings.Key.allCases.map { $0.name(for: "company") })

    /// Whether it could be a key of a provider; whether there is such a provider does not matter.
    static func isProviderKey(_ key: String) -> Bool {
        let name = /OIDC_[A-Z][A-Z0-9]{0,30}/
        return OpenIDProviderSettings.Key.allCases.contains { option in
            let ending = "_\(option.rawValue)"
            return key.hasSuffix(ending) && key.dropLast(ending.count).wholeMatch(of: name) != nil
        }
    }

    /// A sentence for each provider that is trusted with addresses that it does not call verified.
    package var warnings: [String] {
        providers.filter(\.trustsEmail).map { provider in
            let key = OpenIDProviderSettings.Key.trustEmail.name(for: provider.id)
            return "\(key) is yes: whoever can change an address at this provider can log in here as the person it "
                + "belongs to. Make sure that only its administrators can."
        }
    }

    static func isSecret(_ key: String) -> Bool {
        key.hasPrefix("OIDC_") && key.hasSuffix("_\(OpenIDProviderSettings.Key.clientSecret.rawValue)")
    }
}

/// One provider: how to reach it, and who may log in through it with which role.
package struct OpenIDProviderSettings: Sendable {
    /// The role of a new account if groups and domain do not determine it.
    package enum Creation: String, Sendable, CaseIterable {
        /// No account is created: only users with an account can log in.
        case no
        /// `User.Role.member`.
        case member
        /// `User.Role.guest`.
        case guest
    }

    /// Part of our paths: `/login/ID`.
    package let id: String
    /// The text of the button.
    package let name: String
    /// The provider's exact `iss`.
    package let issuer: String
    /// Issued by the provider.
    package let clientID: String
    /// Issued by the provider.
    package let clientSecret: SecretText
    /// The requested scopes, which include `openid`.
    package let scopes: [String]
    /// The claims in which the address is looked for, the preferred one first.
    package let emailClaims: [String]
    /// Whether an address is accepted that the provider does not call verified. Then `domains` has an entry.
    package let trustsEmail: Bool
    /// The claim with groups or roles; `nil` if the provider sends none.
    package let roleClaim: String?
    /// Values of that claim that give the role `admin`.
    let adminValues: Set<String>
    /// Values of that claim that give the role `member`.
    let memberValues: Set<String>
    /// Domains whose addresses may log in, in lower case, with the role of new accounts; empty allows all.
    let domains: [String: User.Role?]
    /// Whether accounts are created, and with which role.
    package let creation: Creation

    enum Key: String, CaseIterable {
        case issuer = "ISSUER"
        case clientID = "CLIENT_ID"
        case clientSecret = "CLIENT_SECRET"
        case name = "NAME"
        case scopes = "SCOPES"
        case emailClaim = "EMAIL_CLAIM"
        case trustEmail = "TRUST_EMAIL"
        case roleClaim = "ROLE_CLAIM"
        case adminValues = "ADMIN_VALUES"
        case memberValues = "MEMBER_VALUES"
        case domains = "DOMAINS"
        case create = "CREATE"

        func name(for provider: String) -> String { "OIDC_\(provider.uppercased())_\(rawValue)" }
    }

    init(id: String, reader: SettingsReader) {
        func text(_ key: Key) -> String? { reader.optionalText(key.name(for: id), isSecret: key == .clientSecret) }
        func refuse(_ key: Key, expectation: String) {
            reader.refuse(key.name(for: id), expectation: expectation)
        }
        func needed(_ key: Key) -> String? {
            let value = text(key)
            if value == nil { refuse(key, expectation: "set, since OIDC_PROVIDERS names \(id)") }
            return value
        }
        self.id = id
        name = text(.name) ?? id.prefix(1).uppercased() + id.dropFirst()
        let issuer = needed(.issuer)
        if let issuer, issuer.contains(Self.discoveryPath) {
            refuse(.issuer, expectation: "the provider's address without \(Self.discoveryPath): requests add it")
        } else if let issuer, !Self.isIssuer(issuer) {
            refuse(
                .issuer,
                expectation: "a URL like https://id.example.org or https://id.example.org/realms/main, to the letter, "
                    + "without user, query and fragment")
        }
        self.issuer = issuer ?? ""
        clientID = needed(.clientID) ?? ""
        clientSecret = SecretText(needed(.clientSecret) ?? "")
        scopes = (text(.scopes) ?? "openid email profile").split(separator: " ").map(String.init)
        if !scopes.contains("openid") {
            refuse(.scopes, expectation: "scopes with openid among them")
        }
        roleClaim = text(.roleClaim)
        adminValues = Set(SettingsReader.entries(of: text(.adminValues) ?? ""))
        memberValues = Set(SettingsReader.entries(of: text(.memberValues) ?? ""))
        if roleClaim == nil, !adminValues.isEmpty || !memberValues.isEmpty {
            refuse(.roleClaim, expectation: "set when values of it make admins or members")
        }
        domains = reader.parsed(default: [:]) { () throws(SettingsError) in
            try Self.domains(text(.domains) ?? "", key: Key.domains.name(for: id))
        }
        creation = reader.choice(Key.create.name(for: id), default: Creation.no)
        emailClaims = SettingsReader.entries(of: text(.emailClaim) ?? "email")
        trustsEmail = reader.choice(Key.trustEmail.name(for: id), default: Trust.no) == .yes
        if emailClaims.isEmpty {
            refuse(.emailClaim, expectation: "names of claims, separated by commas: email,preferred_username")
        }
        if !trustsEmail, emailClaims.contains(where: { $0 != "email" }) {
            refuse(.trustEmail, expectation: "yes, since no provider says that an address outside of email is verified")
        }
        if trustsEmail, domains.isEmpty {
            refuse(.domains, expectation: "set, since \(Key.trustEmail.name(for: id)) accepts every address otherwise")
        }
        if trustsEmail, Self.publicIssuers.contains(self.issuer.lowercased()) {
            refuse(.trustEmail, expectation: "no: everybody can get an account at this provider")
        }
    }

    /// Whether addresses are accepted that are not verified.
    private enum Trust: String, CaseIterable {
        case no, yes
    }

    /// Providers at which strangers choose what is in their tokens, in lower case. The last one is Microsoft's for
    /// personal accounts. A list cannot be complete; `OpenIDSettings.warnings` reminds of the others.
    private static let publicIssuers: Set = [
        "https://accounts.google.com", "https://appleid.apple.com", "https://gitlab.com",
        "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
    ]

    /// What follows the issuer in the address of its discovery document (OpenID Connect Discovery 1.0 §4).
    private static let discoveryPath = "/.well-known/openid-configuration"

    /// `https`, or `http` on this machine (OpenID Connect Discovery 1.0 §3: no query, no fragment).
    private static func isIssuer(_ text: String) -> Bool {
        guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty, parts.query == nil,
            parts.fragment == nil, parts.user == nil
        else { return false }
        return parts.scheme == "https"
            || parts.scheme == "http" && ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
    }

    private static func domains(_ text: String, key: String) throws(SettingsError) -> [String: User.Role?] {
        var domains: [String: User.Role?] = [:]
        for entry in SettingsReader.entries(of: text) {
            let parts = entry.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            let role = parts.count == 2 ? User.Role(rawValue: parts[1]) : nil
            // No domain may give the role `admin`: anyone who gets an address there would control everything.
            guard let domain = EmailAddress.domain(parts[0]), domains[domain] == nil,
                parts.count == 1 || (parts.count == 2 && role != nil && role != .admin)
            else {
                throw SettingsError(
                    key: key,
                    expectation: "domains, each with member or guest or nothing: example.org,sub.example.org:guest")
            }
            domains[domain] = .some(role)
        }
        return domains
    }
}

extension OpenIDProviderSettings {
    /// Whether addresses of this domain may log in. A domain does not include its subdomains.
    func allows(_ email: EmailAddress) -> Bool {
        domains.isEmpty || domains[email.domain] != nil
    }

    /// What an operator can do about a refusal; `nil` if the settings want it, or there is nothing to set.
    package func advice(on reason: AppError.Reason) -> String? {
        switch reason {
        case .emailMissing:
            let claims = emailClaims.joined(separator: " or ")
            return "Neither ID token nor user info has an address in \(claims). Let the provider send one, ask for "
                + "its scope, or name another claim in \(Key.emailClaim.name(for: id))."
        case .emailNotVerified:
            return "The provider sends no email_verified, or false. Let it send true if it verifies addresses. "
                + "Otherwise read about \(Key.trustEmail.name(for: id)) in docs/operations.md before you set it."
        case .accountNotLinked:
            return "The address is not verified, and the account is an administrator's, or linked to another person at "
                + "this provider: `HappinessAPI user unlink` ends that."
        default: return nil
        }
    }

    /// The role given by the provider's groups; `nil` if they do not determine one.
    /// - Parameter values: texts of `roleClaim`.
    func role(ofGroups values: [String]) -> User.Role? {
        if !adminValues.isDisjoint(with: values) { return .admin }
        return memberValues.isDisjoint(with: values) ? nil : .member
    }

    /// The role of a new account; `nil` if none is created.
    func roleOfNewAccount(email: EmailAddress, groups values: [String]) -> User.Role? {
        let standard: User.Role
        switch creation {
        case .no: return nil
        case .member: standard = .member
        case .guest: standard = .guest
        }
        return role(ofGroups: values) ?? domains[email.domain].flatMap(\.self) ?? standard
    }
}
