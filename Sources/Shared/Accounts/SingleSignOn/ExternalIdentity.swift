/// Who a user is at an OpenID provider (OpenID Connect Core 1.0 §5.7: issuer and subject together, never the address).
public struct ExternalIdentity: Hashable, Sendable {
    /// The provider's `iss`.
    public let issuer: String
    /// The provider's `sub`.
    public let subject: String
    /// The user here.
    public let userID: User.ID

    /// An identity as a store keeps it.
    public init(issuer: String, subject: String, userID: User.ID) {
        self.issuer = issuer
        self.subject = subject
        self.userID = userID
    }
}

/// Where external identities are kept. Every call may also throw `AppError.storeUnavailable`.
public protocol ExternalIdentityStore: Sendable {
    /// `nil` if nobody here is that.
    func find(issuer: String, subject: String) async throws -> ExternalIdentity?

    /// A user's identities, in order of issuer and subject.
    func list(userID: User.ID) async throws -> [ExternalIdentity]

    /// - Parameter job: enqueued in the same transaction, without a dedupe key: the mail that tells of it.
    /// - Throws: `AppError.conflict` (`identity-taken`) if issuer and subject are somebody's; `AppError.notFound` if
    ///   there is no such user. Then nothing was changed.
    func insert(_ identity: ExternalIdentity, enqueueing job: Job?) async throws
}

extension ExternalIdentityStore {
    /// Stores an identity that nobody needs to be told of.
    public func insert(_ identity: ExternalIdentity) async throws {
        try await insert(identity, enqueueing: nil)
    }
}

extension AppError {
    /// For stores: issuer and subject belong to a user already.
    static let identityTaken = AppError(
        .conflict, "This sign-in belongs to an account already.", reason: "identity-taken")
}
