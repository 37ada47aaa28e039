package import Domain
import Foundation
package import Ports
package import Storage

/// Creates the first administrator of an installation and their team, for the holder of a one-time link that the server
/// prints when it starts on a store without an admin.
package struct SetupService: Sendable {
    /// The rules for the password.
    package let policy: PasswordPolicy
    private let store: any Store
    private let hasher: PasswordHasher
    private let secret: BallotSecret
    private let clock: WallClock

    /// The subject of every link: a store has one installation.
    private static let subject = "installation"

    /// Creates a service over the stores of one database.
    /// - Parameter secret: the key for receipts.
    package init(
        stores: Stores, hasher: PasswordHasher, secret: BallotSecret, policy: PasswordPolicy = .length,
        clock: WallClock
    ) {
        store = stores.rows
        self.hasher = hasher
        self.secret = secret
        self.policy = policy
        self.clock = clock
    }

    /// The input of the setup form.
    package struct Request: Sendable {
        /// User name, not yet validated.
        package let name: String
        /// Address, not yet validated.
        package let email: String
        /// Password, not yet checked.
        package let password: String
        /// The team's name, not yet validated.
        package let team: String
        /// The team's IANA time zone, not yet checked.
        package let timeZone: String
        /// When the team sees its results.
        package let publication: PublicationPolicy
        /// Language of mails and pages.
        package let language: AccountLanguage

        /// Takes the input as typed.
        package init(
            name: String, email: String, password: String, team: String, timeZone: String,
            publication: PublicationPolicy = .live, language: AccountLanguage
        ) {
            self.name = name
            self.email = email
            self.password = password
            self.team = team
            self.timeZone = timeZone
            self.publication = publication
            self.language = language
        }
    }

    /// Whether there are no accounts yet.
    /// - Throws: `StorageError.unavailable`.
    package func hasNoAccounts() async throws -> Bool {
        try await store.read { try $0.users(matching: nil, after: nil, limit: 1) }.isEmpty
    }

    /// Whether there is no admin yet.
    private func isNeeded() async throws -> Bool {
        try await store.read { try $0.userCount(role: .admin) } == 0
    }

    /// Creates a new link; all earlier ones become invalid. Its token is stored only as a hash.
    /// - Parameter publicURL: `ServerSettings.publicURL`.
    /// - Returns: `nil` if there is an admin.
    /// - Throws: `StorageError.unavailable`.
    package func makeLink(publicURL: String) async throws -> String? {
        guard try await isNeeded() else { return nil }
        try await store.write { try $0.deleteTokens(purpose: .setup, subject: Self.subject) }
        let (text, token) = OneTimeToken.make(.setup, subject: Self.subject, email: "", at: clock.now)
        try await store.write { try $0.insert(token) }
        return OneTimeToken.Purpose.setup.link(publicURL: publicURL, token: text)
    }

    /// Whether a link is valid. Changes nothing.
    /// - Throws: `AppError.linkExpired`, also if there is an admin; `StorageError.unavailable`.
    package func check(token text: String) async throws {
        guard try await store.token(TokenClaim(text, for: .setup, at: clock.now)) != nil, try await isNeeded() else {
            throw AppError.linkExpired
        }
    }

    /// Creates the first administrator, who leads a new team. Rejected input leaves the link valid; if several requests
    /// race, one succeeds.
    /// - Throws: `AppError`: `unprocessable` (`link-expired`, `team-name-not-valid`, `no-such-time-zone`, or the reason why
    ///   name or password is rejected), `malformed` for an invalid address, `conflict` (`name-taken` of a user or a
    ///   team, `email-taken`), `unavailable`.
    package func addAdministrator(token text: String, _ request: Request) async throws -> User {
        try await check(token: text)
        let name = try UserName(request.name)
        let email = try EmailAddress(request.email)
        try policy.check(request.password, name: name.text, email: email.text)
        guard let teamName = try? TeamName(request.team) else {
            throw AppError(.unprocessable, "This isn’t a valid name for a team.", reason: .teamNameNotValid)
        }
        guard TimeZone(identifier: request.timeZone) != nil else {
            throw AppError(.unprocessable, "There’s no such time zone.", reason: .noSuchTimeZone)
        }
        let user = User(
            name: name, email: email, role: .admin, passwordHash: try await hasher.hash(request.password),
            locale: request.language.tag, createdOn: CalendarDay(instant: clock.now, in: .gmt))
        let settings = TeamSettings(timeZone: request.timeZone, policy: request.publication)
        let team = Team(name: teamName.text, settings: settings)
        try await store.transaction {
            try $0.addFirstAdmin(
                user, leading: team, claiming: TokenClaim(text, for: .setup, at: clock.now), secret: secret)
        }
        return user
    }
}
