package import Domain
package import Foundation
import Services
package import Storage

/// Rules of accounts, each in a transaction of its own. All test teams use one secret.
extension Stores {
    /// Stores a user.
    package func insert(_ user: User) async throws {
        try await transaction { try $0.add(user) }
    }

    /// Changes a user.
    package func update(id: User.ID, _ update: UserUpdate) async throws {
        try await transaction { try $0.apply(update, to: id) }
    }

    /// Deletes a user. The default job never becomes due: no worker deletes the rest.
    package func delete(
        id: User.ID, ifPictureIs picture: ProfilePicture.ID? = nil, ifAdmin admin: User.ID? = nil,
        secret: BallotSecret = TestTeam.secret,
        enqueueing job: Job = Job(kind: "test.traces", runAt: .distantFuture)
    ) async throws {
        try await transaction {
            try $0.deleteUser(id, ifPictureIs: picture, ifAdmin: admin, secret: secret, enqueueing: job)
        }
    }

    /// Replaces a user's picture.
    package func replacePicture(of id: User.ID, by new: ProfilePicture?, at now: Date) async throws -> Bool {
        try await replacePicture(of: id, by: new, at: now, secret: TestTeam.secret)
    }

    /// Stores a session.
    package func insert(_ session: Session) async throws {
        try await transaction { try $0.add(session) }
    }

    /// The user's sessions that have not expired.
    package func sessions(of userID: User.ID, at now: Date) async throws -> [Session] {
        try await read { try $0.sessions(of: userID, at: now) }
    }

    /// Stores a token.
    package func insert(_ token: OneTimeToken) async throws {
        try await write { try $0.insert(token) }
    }

    /// Stores an invitation.
    package func insert(_ invitation: Invitation) async throws {
        try await transaction { try $0.add(invitation) }
    }

    /// Stores an identity without a notification.
    package func insert(_ identity: ExternalIdentity) async throws {
        try await transaction { try $0.add(identity) }
    }

    /// All users, one page at a time.
    package func users(after: String?, limit: Int) async throws -> [User] {
        try await read { try $0.users(matching: nil, after: after, limit: limit) }
    }
}

extension UserUpdate.NewEmail: ExpressibleByStringLiteral {
    /// Creates a new address.
    package init(stringLiteral address: String) {
        self.init(address, secret: TestTeam.secret)
    }
}
