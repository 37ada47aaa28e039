/// Finds the receipts of one person. Nothing that is stored leads to them, so every sprint there is gets tried.
struct ReceiptSearch: Sendable {
    /// Teams per read.
    private static let pageSize = 100

    let stores: Stores
    /// What the receipts were keyed with; another one finds nothing.
    let secret: BallotSecret

    /// The sprints in which there is a receipt of theirs.
    func sprintsVotedIn(by userID: User.ID) async throws -> [(team: Team, sprint: Sprint.Key)] {
        var votedIn: [(team: Team, sprint: Sprint.Key)] = []
        try await forEachTeam { team in
            let keys = try await stores.sprints.keys(teamID: team.id)
            let receipts = keys.map { Receipt(secret: secret, sprint: $0, userID: userID) }
            // Most teams are not theirs: one read tells.
            guard try await stores.ballots.count(of: receipts) > 0 else { return }
            for (key, receipt) in zip(keys, receipts) where try await stores.ballots.contains(receipt) {
                votedIn.append((team, key))
            }
        }
        return votedIn
    }

    /// Removes all receipts of theirs. While they have a session, a removed one would be a second vote.
    func remove(of userID: User.ID) async throws {
        try await forEachTeam { team in
            let keys = try await stores.sprints.keys(teamID: team.id)
            try await stores.ballots.remove(keys.map { Receipt(secret: secret, sprint: $0, userID: userID) })
        }
    }

    /// All teams there are, since somebody may have left one they voted in, and where they were is kept nowhere.
    private func forEachTeam(_ body: (Team) async throws -> Void) async throws {
        var page = try await stores.teams.list(after: nil, limit: Self.pageSize)
        while let last = page.last {
            for team in page {
                try Task.checkCancellation()
                try await body(team)
            }
            page = try await stores.teams.list(after: UserName.folded(last.name), limit: Self.pageSize)
        }
    }
}
