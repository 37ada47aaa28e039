import Foundation

/// The mail domains whose addresses may register an account, and the role each domain gives: `REGISTRATION_DOMAINS`.
package struct RegistrationDomains: Equatable, Sendable {
    /// By domain, in lower case and ASCII. A domain does not include its subdomains.
    private let roles: [String: User.Role]

    /// Registration is closed.
    package static let none = RegistrationDomains(roles: [:])

    private init(roles: [String: User.Role]) {
        self.roles = roles
    }

    /// Parses `example.org:member,students.example.org:guest`; empty text closes registration.
    /// - Throws: `SettingsError`. No domain may give the role `admin`: anyone who gets an address there would control
    ///   everything.
    package init(setting text: String) throws(SettingsError) {
        var roles: [String: User.Role] = [:]
        for entry in text.split(separator: ",") {
            let parts = entry.split(separator: ":", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, let role = User.Role(rawValue: parts[1]), role != .admin,
                let domain = EmailAddress.domain(parts[0]), roles[domain] == nil
            else {
                throw SettingsError(
                    key: "REGISTRATION_DOMAINS",
                    expectation: "domains, each with the role member or guest: example.org:member,sub.example.org:guest"
                )
            }
            roles[domain] = role
        }
        self.roles = roles
    }

    /// Whether registration is open for any domain.
    package var isOpen: Bool { !roles.isEmpty }

    /// The domains in alphabetical order, for display: `müller.example`.
    package var names: [String] { roles.keys.map(EmailAddress.readable).sorted() }

    /// The role for an address; `nil` if it may not register.
    package func role(for email: EmailAddress) -> User.Role? {
        roles[email.domain]
    }
}
