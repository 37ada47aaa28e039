import Foundation

/// Providers people can log in through, by OpenID Connect.
///
/// `OIDC_PROVIDERS=company,google` names them, and each has settings of its own under its name in capitals:
/// `OIDC_COMPANY_ISSUER` and so on.
public struct OpenIDSettings: Sendable {
    /// In the order they are named in, which is the order of their buttons.
    public let providers: [OpenIDProviderSettings]

    init(reader: SettingsReader) throws {
        let names = Self.list(reader.text("OIDC_PROVIDERS", default: ""))
        guard Set(names).count == names.count, names.allSatisfy({ $0.wholeMatch(of: /[a-z][a-z0-9]{0,30}/) != nil })
        else {
            throw SettingsError(
                key: "OIDC_PROVIDERS",
                expectation: "different names of small letters and digits, separated by commas: company,google")
        }
        providers = try names.map { try OpenIDProviderSettings(id: $0, reader: reader) }
    }

    static func list(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// With `COMPANY` for the name of any provider, as in `.env.example`.
    static let keys = Set(["OIDC_PROVIDERS"] + OpenIDProviderSettings.Key.allCases.map { $0.name(for: "company") })

    static func isSecret(_ key: String) -> Bool {
        key.hasPrefix("OIDC_") && key.hasSuffix("_\(OpenIDProviderSettings.Key.clientSecret.rawValue)")
    }
}

/// One provider: how it is reached, and who may come in through it as what.
public struct OpenIDProviderSettings: Sendable {
    /// Which role an account made here gets whose groups and domain say nothing about it.
    public enum Creation: String, Sendable, CaseIterable {
        /// No account is made: only who has one already can log in.
        case no
        /// `User.Role.member`.
        case member
        /// `User.Role.guest`.
        case guest
    }

    /// In addresses of ours: `/login/ID`.
    public let id: String
    /// On the button.
    public let name: String
    /// The provider's `iss`, to the letter.
    public let issuer: String
    /// Given out by the provider.
    public let clientID: String
    /// Given out by the provider.
    public let clientSecret: SecretText
    /// Asked for; `openid` is among them.
    public let scopes: [String]
    /// The claim with groups or roles; `nil` if the provider tells none.
    public let roleClaim: String?
    /// Values of that claim that make an admin.
    let adminValues: Set<String>
    /// Values of that claim that make a member.
    let memberValues: Set<String>
    /// Domains whose addresses may come in, in lower case, with the role each gives to new accounts; empty for all.
    let domains: [String: User.Role?]
    /// Whether accounts are made.
    public let creation: Creation

    enum Key: String, CaseIterable {
        case issuer = "ISSUER"
        case clientID = "CLIENT_ID"
        case clientSecret = "CLIENT_SECRET"
        case name = "NAME"
        case scopes = "SCOPES"
        case roleClaim = "ROLE_CLAIM"
        case adminValues = "ADMIN_VALUES"
        case memberValues = "MEMBER_VALUES"
        case domains = "DOMAINS"
        case create = "CREATE"

        func name(for provider: String) -> String { "OIDC_\(provider.uppercased())_\(rawValue)" }
    }

    init(id: String, reader: SettingsReader) throws {
        func text(_ key: Key) -> String? { reader.optionalText(key.name(for: id), isSecret: key == .clientSecret) }
        func needed(_ key: Key) throws -> String {
            guard let value = text(key) else {
                throw SettingsError(key: key.name(for: id), expectation: "set, since OIDC_PROVIDERS names \(id)")
            }
            return value
        }
        self.id = id
        name = text(.name) ?? id.prefix(1).uppercased() + id.dropFirst()
        issuer = try needed(.issuer)
        guard Self.isIssuer(issuer) else {
            throw SettingsError(
                key: Key.issuer.name(for: id), expectation: "a URL like https://id.example.org, to the letter")
        }
        clientID = try needed(.clientID)
        clientSecret = SecretText(try needed(.clientSecret))
        scopes = (text(.scopes) ?? "openid email profile").split(separator: " ").map(String.init)
        guard scopes.contains("openid") else {
            throw SettingsError(key: Key.scopes.name(for: id), expectation: "scopes with openid among them")
        }
        roleClaim = text(.roleClaim)
        adminValues = Set(OpenIDSettings.list(text(.adminValues) ?? ""))
        memberValues = Set(OpenIDSettings.list(text(.memberValues) ?? ""))
        guard roleClaim != nil || (adminValues.isEmpty && memberValues.isEmpty) else {
            throw SettingsError(
                key: Key.roleClaim.name(for: id), expectation: "set when values of it make admins or members")
        }
        domains = try Self.domains(text(.domains) ?? "", key: Key.domains.name(for: id))
        creation = try reader.choice(Key.create.name(for: id), default: Creation.no)
    }

    /// `https`, or `http` on this machine (OpenID Connect Discovery 1.0 §3: no query, no fragment).
    private static func isIssuer(_ text: String) -> Bool {
        guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty, parts.query == nil,
            parts.fragment == nil, parts.user == nil
        else { return false }
        return parts.scheme == "https"
            || parts.scheme == "http" && ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
    }

    private static func domains(_ text: String, key: String) throws -> [String: User.Role?] {
        var domains: [String: User.Role?] = [:]
        for entry in OpenIDSettings.list(text) {
            let parts = entry.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            let role = parts.count == 2 ? User.Role(rawValue: parts[1]) : nil
            // No domain gives the role admin: whoever gets an address there would own everything.
            guard (try? EmailAddress("a@\(parts[0])")) != nil, domains[parts[0].lowercased()] == nil,
                parts.count == 1 || (parts.count == 2 && role != nil && role != .admin)
            else {
                throw SettingsError(
                    key: key,
                    expectation: "domains, each with member or guest or nothing: example.org,sub.example.org:guest")
            }
            domains[parts[0].lowercased()] = .some(role)
        }
        return domains
    }
}

extension OpenIDProviderSettings {
    /// Whether addresses of this domain may come in. A domain does not stand for those below it.
    func allows(_ email: EmailAddress) -> Bool {
        domains.isEmpty || domains[Self.domain(of: email)] != nil
    }

    /// The role the provider's groups give; `nil` if they say nothing.
    /// - Parameter values: texts of `roleClaim`.
    func role(ofGroups values: [String]) -> User.Role? {
        if !adminValues.isDisjoint(with: values) { return .admin }
        return memberValues.isDisjoint(with: values) ? nil : .member
    }

    /// The role of an account that is to be made; `nil` if none is made.
    func roleOfNewAccount(email: EmailAddress, groups values: [String]) -> User.Role? {
        let standard: User.Role
        switch creation {
        case .no: return nil
        case .member: standard = .member
        case .guest: standard = .guest
        }
        return role(ofGroups: values) ?? domains[Self.domain(of: email)].flatMap(\.self) ?? standard
    }

    private static func domain(of email: EmailAddress) -> String {
        email.text.split(separator: "@").last?.lowercased() ?? ""
    }
}
