import Foundation

/// Whose addresses may register an account, and the role each domain gives: `REGISTRATION_DOMAINS`.
public struct RegistrationDomains: Equatable, Sendable {
    /// By domain, in lower case. A domain does not stand for those below it.
    private let roles: [String: User.Role]

    /// Nobody registers.
    public static let none = RegistrationDomains(roles: [:])

    private init(roles: [String: User.Role]) {
        self.roles = roles
    }

    /// Reads `example.org:member,students.example.org:guest`; empty text is nobody.
    /// - Throws: `SettingsError`. No domain gives the role `admin`: whoever gets an address there would own everything.
    init(setting text: String) throws {
        var roles: [String: User.Role] = [:]
        for entry in text.split(separator: ",") {
            let parts = entry.split(separator: ":", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, let role = User.Role(rawValue: parts[1]), role != .admin,
                (try? EmailAddress("a@\(parts[0])")) != nil, roles[parts[0].lowercased()] == nil
            else {
                throw SettingsError(
                    key: "REGISTRATION_DOMAINS",
                    expectation: "domains, each with the role member or guest: example.org:member,sub.example.org:guest"
                )
            }
            roles[parts[0].lowercased()] = role
        }
        self.roles = roles
    }

    /// Whether anybody may register.
    public var isOpen: Bool { !roles.isEmpty }

    /// In alphabetical order, for people.
    public var names: [String] { roles.keys.sorted() }

    /// The role an address gets; `nil` if it may not register.
    func role(for email: EmailAddress) -> User.Role? {
        email.text.split(separator: "@").last.flatMap { roles[$0.lowercased()] }
    }
}
