package import Foundation

/// The caller, as identified by a token and its session. Services look up their permissions.
package struct Principal: Hashable, Sendable {
    package let userID: User.ID
    /// The session the token belongs to.
    package let sessionID: Session.ID
    /// When the token was issued, in whole seconds: for a session that was never refreshed, the time of login. It comes
    /// from the token, because no store keeps it; `nil` if there was no token.
    package let tokenIssued: Date?

    /// By default without the time of a token.
    package init(userID: User.ID, sessionID: Session.ID, tokenIssued: Date? = nil) {
        self.userID = userID
        self.sessionID = sessionID
        self.tokenIssued = tokenIssued
    }

    /// The caller, for services that the operator's commands also use.
    package var caller: Caller { .user(userID) }
}

/// The party on whose behalf a service acts.
package enum Caller: Hashable, Sendable {
    /// A person on the machine itself who runs a command: may do everything except read results.
    case `operator`
    /// A user, with the permissions of their roles.
    case user(User.ID)

    /// `nil` for the operator.
    package var userID: User.ID? {
        if case .user(let id) = self { id } else { nil }
    }
}

extension AppError {
    /// The user is known, but their role is not sufficient.
    package static let notAllowed = AppError(.forbidden, "You don’t have access to this.", reason: .notAllowed)
    /// A condition of the update is no longer met.
    package static let changedMeanwhile = AppError(
        .conflict, "The account was changed at the same moment. Please try again.", reason: .changedMeanwhile)
    /// The user does not exist, or the caller must not know of them.
    package static let noSuchUser = AppError(.notFound, "There’s no such user.", reason: .noSuchUser)
}

extension AppError {
    /// Shown to a person who has proved that the account is theirs.
    package static let accountDisabled = AppError(.forbidden, "This account is disabled.", reason: .accountDisabled)

    /// The token was valid, but its session has ended.
    package static let sessionEnded = AppError(
        .unauthenticated, "You’ve been logged out. Please log in again.", reason: .sessionEnded)
}
