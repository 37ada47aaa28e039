public import Foundation

/// An account somebody asked for and has not confirmed: it becomes a user when the mailed link is used.
public struct Registration: Hashable, Sendable {
    /// A registration's identity.
    public typealias ID = Identifier<Registration>

    /// The registration's identity.
    public let id: ID
    /// As `User.name`.
    public let name: String
    /// As `User.email`; one registration for an address, case-folded.
    public let email: String
    /// `crypt(5)` text of the chosen password.
    public let passwordHash: String
    /// By the address's domain.
    public let role: User.Role
    /// Language, `en` or `de`.
    public let locale: String
    /// It is removed after this instant.
    public let expires: Date

    /// A registration as a store keeps it.
    public init(
        id: ID = .random(), name: String, email: String, passwordHash: String, role: User.Role, locale: String,
        expires: Date
    ) {
        self.id = id
        self.name = name
        self.email = email
        self.passwordHash = passwordHash
        self.role = role
        self.locale = locale
        self.expires = expires
    }
}

/// Where registrations wait. Every call may also throw `AppError.storeUnavailable`.
public protocol RegistrationStore: Sendable {
    /// Stores a registration in place of an earlier one for the same address, case-folded.
    func put(_ registration: Registration) async throws

    /// `nil` if there is none.
    func find(id: Registration.ID) async throws -> Registration?

    /// By address, case-folded; `nil` if there is none.
    func find(email: String) async throws -> Registration?

    /// Makes a registration the account it was for, in one transaction: takes the token, stores the user and removes the
    /// registration.
    /// - Throws: `AppError.linkExpired` if the registration is not there, or `claim` names no token that counts for it;
    ///   `AppError.conflict` (`name-taken`, `email-taken`). Then nothing was changed. Of two who confirm one
    ///   registration at once, one does.
    func confirm(id: Registration.ID, as user: User, claiming claim: TokenClaim) async throws

    /// No error if it is gone already.
    func delete(id: Registration.ID) async throws

    /// Removes those that expired before `instant`.
    func deleteExpired(before instant: Date) async throws
}
