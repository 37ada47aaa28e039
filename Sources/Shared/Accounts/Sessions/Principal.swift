public import Foundation

/// Who asks, as a token and its session say. What the user may do is looked up where it is decided.
public struct Principal: Hashable, Sendable {
    /// The user.
    public let userID: User.ID
    /// The session the token belongs to.
    public let sessionID: Session.ID
    /// When the token was issued, in whole seconds: for a session that was never refreshed, when its user logged in. The
    /// token says so, since no store keeps it; `nil` if there was no token.
    public let tokenIssued: Date?

    /// A user in a session.
    public init(userID: User.ID, sessionID: Session.ID, tokenIssued: Date? = nil) {
        self.userID = userID
        self.sessionID = sessionID
        self.tokenIssued = tokenIssued
    }

    /// The same for services that the operator's commands call too.
    public var caller: Caller { .user(userID) }
}

/// On whose behalf a service acts.
public enum Caller: Hashable, Sendable {
    /// Somebody at the machine itself, with a command: may do everything but read results.
    case `operator`
    /// A user, with their roles.
    case user(User.ID)

    /// `nil` for the operator.
    var userID: User.ID? {
        if case .user(let id) = self { id } else { nil }
    }
}

extension AppError {
    /// The user is known and their role does not reach.
    public static let notAllowed = AppError(.forbidden, "You are not allowed to do this.", reason: "not-allowed")
    /// A user that is not there, or none the caller may know of.
    public static let noSuchUser = AppError(.notFound, "There is no such user.", reason: "no-such-user")
}
