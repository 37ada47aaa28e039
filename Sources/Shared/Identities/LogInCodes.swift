import Foundation

/// Codes that hand a log-in from a browser's page over to an app: shown once, good for a minute, for one use.
public struct LogInCodes: Sendable {
    private let users: any UserStore
    private let tokens: any OneTimeTokenStore
    private let clock: WallClock

    /// Codes over these stores.
    public init(stores: Stores, clock: WallClock) {
        users = stores.users
        tokens = stores.tokens
        self.clock = clock
    }

    /// A code for a user whose identity was proved.
    public func make(for user: User) async throws -> String {
        let (text, token) = OneTimeToken.make(.logIn, subject: user.id.description, email: user.email, at: clock.now)
        try await tokens.insert(token)
        return text
    }

    /// The user of a code. The code, and every other one of that user, counts no more. Of callers that race one gets
    /// the user.
    /// - Throws: `AppError.unauthenticated` (`log-in-code-expired`), also for a user who was disabled meanwhile.
    public func use(_ text: String) async throws -> User {
        let token = try await tokens.consume(hash: OneTimeToken.hash(of: text), purpose: .logIn, at: clock.now)
        guard let id = token.flatMap({ User.ID($0.subject) }), let user = try await users.find(id: id), !user.isDisabled
        else {
            throw AppError(
                .unauthenticated, "This code does not count any more. Please log in again.",
                reason: "log-in-code-expired")
        }
        return user
    }
}
