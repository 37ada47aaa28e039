package import Crypto
package import Domain
package import Storage

/// Ends a kind of mail for a user, by the link in each of these mails. It needs no login: the mail's reader may be
/// logged out, and mail programs send the request themselves (RFC 8058).
package struct UnsubscribeService: Sendable {
    private let store: any Store
    private let tokens: UnsubscribeTokens

    /// - Parameter secret: `JWT_SECRET`.
    package init(store: any Store, secret: SymmetricKey) {
        self.store = store
        tokens = UnsubscribeTokens(secret: secret)
    }

    /// Who gets the mails that the link ends. Changes nothing.
    /// - Throws: `AppError.linkExpired` for a made-up link or a deleted account.
    package func recipient(of token: String) async throws -> (user: User, subscription: MailSubscription) {
        guard let parts = tokens.parse(token), let user = try await store.user(parts.userID) else {
            throw AppError.linkExpired
        }
        return (user, parts.subscription)
    }

    /// Ends the mails; a second call changes nothing.
    /// - Throws: as `recipient`.
    package func unsubscribe(_ token: String) async throws {
        let (user, subscription) = try await recipient(of: token)
        try await store.transaction {
            try $0.apply(UserUpdate(notifications: NotificationChange(ending: subscription)), to: user.id)
        }
    }
}
