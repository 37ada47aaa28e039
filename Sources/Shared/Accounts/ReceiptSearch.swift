/// Finds the receipts of one person. Nothing that is stored leads to them, so every sprint that has receipts is tried.
struct ReceiptSearch: Sendable {
    /// Sprints per read.
    private static let pageSize = 500

    let stores: Stores
    /// What the receipts were keyed with; another one finds nothing.
    let secret: BallotSecret

    /// The sprints in which there is a receipt of theirs: none that is over.
    func sprintsVotedIn(by userID: User.ID) async throws -> [(team: Team, sprint: Sprint.Key)] {
        var votedIn: [(team: Team, sprint: Sprint.Key)] = []
        try await forEachPage { keys in
            let found = try await stores.ballots.existing(among: receipts(of: userID, in: keys)).map(\.sprint)
            let teams = try await stores.teams.list(ids: found.map(\.teamID))
            for key in keys where found.contains(key) {
                if let team = teams.first(where: { $0.id == key.teamID }) { votedIn.append((team, key)) }
            }
        }
        return votedIn
    }

    private func receipts(of userID: User.ID, in keys: [Sprint.Key]) -> [Receipt] {
        keys.map { Receipt(secret: secret, sprint: $0, userID: userID) }
    }

    /// The sprints of all teams, because somebody may have left one they voted in, and where they were is kept nowhere.
    private func forEachPage(_ body: ([Sprint.Key]) async throws -> Void) async throws {
        var last: Sprint.Key?
        repeat {
            try Task.checkCancellation()
            let page = try await stores.sprints.uncleared(after: last, limit: Self.pageSize)
            try await body(page)
            last = page.count < Self.pageSize ? nil : page.last
        } while last != nil
    }
}
