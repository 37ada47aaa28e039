import Domain
package import Ports
package import Storage

/// Deletes again, after a restore, what was deleted since the backup: by the rules of the product, so that everything
/// that belongs to an account or team goes with it, and the tallies stay.
package struct RepeatedDeletions: Sendable {
    /// What was deleted again.
    package struct Changes: Hashable, Sendable {
        /// Accounts.
        package var accounts = 0
        /// Teams.
        package var teams = 0
        /// Pictures of people who keep their account.
        package var pictures = 0
        /// The names of teams that now have members and no lead.
        package var teamsWithoutLead: [String] = []
        /// Whether nobody who can log in is an admin any more.
        package var hasNoAdmin = false

        /// Nothing was deleted yet.
        package init() {}
    }

    private static let pageSize = 500

    private let stores: Stores
    private let secret: BallotSecret
    private let throttle: LoginThrottle
    private let clock: WallClock

    /// - Parameter stores: of a store that no process uses.
    package init(stores: Stores, secrets: Secrets, clock: WallClock) {
        self.stores = stores
        secret = secrets.ballot
        throttle = LoginThrottle(store: stores.rows, secret: secrets.jwt)
        self.clock = clock
    }

    /// Deletes whatever has one of these hashes. The worker removes the rest, such as the objects of pictures.
    /// - Complexity: one hash for each account, team and picture.
    /// - Throws: what the stores throw; what was deleted stays deleted.
    package func apply(_ hashes: Set<[UInt8]>) async throws -> Changes {
        var changes = Changes()
        // First: the lead of a team that goes may go without a successor.
        changes.teams = try await deleteTeams(hashes)
        var left: Set<Team.ID> = []
        var after: String?
        while true {
            let users = try await stores.read { [after] rows in
                try rows.users(matching: nil, after: after, limit: Self.pageSize)
            }
            for user in users {
                if hashes.contains(Deletion.hash(of: .account(user.id), secret: secret)) {
                    left.formUnion(try await delete(user))
                    changes.accounts += 1
                } else if let picture = user.picture,
                    hashes.contains(Deletion.hash(of: .picture(picture.id), secret: secret))
                {
                    _ = try await stores.replacePicture(of: user.id, by: nil, at: clock.now, secret: secret)
                    changes.pictures += 1
                }
            }
            guard users.count == Self.pageSize, let last = users.last else { break }
            after = UserName.folded(last.name)
        }
        changes.teamsWithoutLead = try await teamsWithoutLead(among: left)
        if changes.accounts > 0 { changes.hasNoAdmin = try await stores.read { try $0.userCount(role: .admin) } == 0 }
        return changes
    }

    private func deleteTeams(_ hashes: Set<[UInt8]>) async throws -> Int {
        var count = 0
        var after: Team.ID?
        while true {
            let teams = try await stores.read { [after] rows in try rows.teams(after: after, limit: Self.pageSize) }
            for team in teams where hashes.contains(Deletion.hash(of: .team(team.id), secret: secret)) {
                try await stores.deleteTeam(team.id, at: clock.now, secret: secret)
                count += 1
            }
            guard teams.count == Self.pageSize, let last = teams.last else { return count }
            after = last.id
        }
    }

    /// - Returns: the teams of the user.
    private func delete(_ user: User) async throws -> [Team.ID] {
        let traces = try await stores.traces(of: user, throttle: throttle)
        try await stores.transaction {
            try $0.deleteUser(
                user.id, ifPictureIs: traces.picture, ifAdmin: nil, secret: secret,
                enqueueing: try traces.removal(at: clock.now), evenIfOthersDepend: true)
        }
        return traces.teamIDs
    }

    private func teamsWithoutLead(among ids: Set<Team.ID>) async throws -> [String] {
        var names: [String] = []
        for team in try await stores.read({ try $0.teams(Array(ids)) }) {
            let members = try await stores.read { try $0.members(of: team.id) }
            if !members.isEmpty, !members.contains(where: { $0.role == .lead }) { names.append(team.name) }
        }
        return names.sorted()
    }
}
