/// A user's identity at an OpenID provider (OpenID Connect Core 1.0 §5.7: issuer and subject together, never the
/// address).
public struct ExternalIdentity: Hashable, Sendable {
    /// The provider's `iss`.
    public let issuer: String
    /// The provider's `sub`.
    public let subject: String
    /// The user with this identity.
    public let userID: User.ID

    /// Creates an identity as a store keeps it.
    public init(issuer: String, subject: String, userID: User.ID) {
        self.issuer = issuer
        self.subject = subject
        self.userID = userID
    }
}

/// Stores external identities. Every call may also throw `AppError.storeUnavailable`.
public protocol ExternalIdentityStore: Sendable {
    /// `nil` if no user has this identity.
    func find(issuer: String, subject: String) async throws -> ExternalIdentity?

    /// A user's identities, ordered by issuer and subject.
    func list(userID: User.ID) async throws -> [ExternalIdentity]

    /// - Parameter job: enqueued in the same transaction, without a dedupe key: the notification mail.
    /// - Throws: `AppError.conflict` (`identity-taken`) if a user already has this identity; `AppError.notFound` if
    ///   there is no such user. Then nothing has changed.
    func insert(_ identity: ExternalIdentity, enqueueing job: Job?) async throws
}

extension ExternalIdentityStore {
    /// Stores an identity without a notification.
    public func insert(_ identity: ExternalIdentity) async throws {
        try await insert(identity, enqueueing: nil)
    }
}

extension AppError {
    /// For stores: a user already has this identity.
    static let identityTaken = AppError(
        .conflict, "This sign-in belongs to an account already.", reason: "identity-taken")
}
