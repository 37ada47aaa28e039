package import Domain
import Foundation
package import Ports
package import Storage

/// Codes that pass a login from a browser's page to an app: shown once, valid for one minute and one use.
package struct LoginCodes: Sendable {
    private let store: any Store
    private let clock: WallClock

    /// Creates codes in the stores of one database.
    package init(stores: Stores, clock: WallClock) {
        store = stores.rows
        self.clock = clock
    }

    /// A code for a user who has proved their identity.
    package func make(for user: User) async throws -> String {
        let (text, token) = OneTimeToken.make(.logIn, subject: user.id.description, email: user.email, at: clock.now)
        try await store.write { try $0.insert(token) }
        return text
    }

    /// Exchanges a code for tokens. It uses up the code and all others of its user. If callers race, one logs in.
    /// - Parameters:
    ///   - device: as in `LoginService.logIn`.
    ///   - logins: begins the session.
    /// - Throws: `AppError.unauthenticated` (`log-in-code-expired`), also for a user who was disabled or got another
    ///   address in the meantime; as `LoginService.logIn`.
    package func exchange(_ text: String, device: String, through logins: LoginService) async throws -> Login {
        let claim = TokenClaim(text, for: .logIn, at: clock.now)
        guard let token = try await store.token(claim), let id = User.ID(token.subject),
            let user = try await store.user(id), token.isValid(for: user)
        else { throw Self.expired }
        do {
            return try await logins.logIn(verified: user, claiming: claim, device: device, lifetime: .rotating)
        } catch let error as AppError where error == .linkExpired {
            throw Self.expired
        }
    }

    private static let expired = AppError(
        .unauthenticated, "This code has expired. Please log in again.", reason: .logInCodeExpired)
}
