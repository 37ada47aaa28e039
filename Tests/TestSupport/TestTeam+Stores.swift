package import Services

/// Shortcuts for tests that do not deal with receipts: the receipts of all test teams use the same secret.
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
}

extension UserStore {
    /// Deletes a user.
    package func delete(
        id: User.ID, ifPictureIs picture: ProfilePicture.ID?, ifAdmin admin: User.ID?, enqueueing job: Job
    ) async throws {
        try await delete(id: id, ifPictureIs: picture, ifAdmin: admin, secret: TestTeam.secret, enqueueing: job)
    }
}

extension UserUpdate.NewEmail: ExpressibleByStringLiteral {
    /// Creates a new address.
    package init(stringLiteral address: String) {
        self.init(address, secret: TestTeam.secret)
    }
}
