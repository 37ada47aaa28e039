package import Domain
package import Foundation
import Services
package import Storage

/// Shortcuts for tests that do not deal with the secret: all test teams use the same one.
extension TeamStore {
    /// Adds a member.
    package func add(_ membership: Membership) async throws {
        try await add(membership, secret: TestTeam.secret)
    }

    /// Removes a member as the caller.
    package func remove(userID: User.ID, from teamID: Team.ID, by caller: Caller) async throws {
        try await remove(userID: userID, from: teamID, by: caller, secret: TestTeam.secret)
    }

    /// Removes a member, even if the team then has no lead.
    package func remove(userID: User.ID, from teamID: Team.ID) async throws {
        try await remove(userID: userID, from: teamID, by: .operator)
    }

    /// Deletes a team.
    package func delete(_ id: Team.ID, at now: Date) async throws {
        try await delete(id, at: now, secret: TestTeam.secret)
    }
}

extension UserStore {
    /// Deletes a user.
    package func delete(
        id: User.ID, ifPictureIs picture: ProfilePicture.ID?, ifAdmin admin: User.ID?, enqueueing job: Job
    ) async throws {
        try await delete(id: id, ifPictureIs: picture, ifAdmin: admin, secret: TestTeam.secret, enqueueing: job)
    }

    /// Replaces a user's picture.
    package func replacePicture(of id: User.ID, by new: ProfilePicture?, at now: Date) async throws -> Bool {
        try await replacePicture(of: id, by: new, at: now, secret: TestTeam.secret)
    }
}

extension UserUpdate.NewEmail: ExpressibleByStringLiteral {
    /// Creates a new address.
    package init(stringLiteral address: String) {
        self.init(address, secret: TestTeam.secret)
    }
}
