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

    /// Tokens for a code. The code, and every other one of its user, counts no more. Of callers that race one logs in.
    /// - Parameters:
    ///   - device: as in `LogInService.logIn`.
    ///   - logIns: begins the session.
    /// - Throws: `AppError.unauthenticated` (`log-in-code-expired`), also for a user who was disabled or got another
    ///   address meanwhile; as `LogInService.logIn`.
    public func exchange(_ text: String, device: String, through logIns: LogInService) async throws -> LogIn {
        let claim = TokenClaim(text, for: .logIn, at: clock.now)
        guard let token = try await tokens.find(claim), let id = User.ID(token.subject),
            let user = try await users.find(id: id), token.counts(for: user)
        else { throw Self.expired }
        do {
            return try await logIns.logIn(verified: user, claiming: claim, device: device, lifetime: .rotating)
        } catch let error as AppError where error == .linkExpired {
            throw Self.expired
        }
    }

    private static let expired = AppError(
        .unauthenticated, "This code does not count any more. Please log in again.", reason: "log-in-code-expired")
}
