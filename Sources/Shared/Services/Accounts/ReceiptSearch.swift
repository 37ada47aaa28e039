import Domain
import Storage

/// Finds the receipts of one user. No stored data leads to them, so every sprint with receipts is checked.
struct ReceiptSearch: Sendable {
    /// Sprints per read.
    private static let pageSize = 500

    let store: any Store
    let ballots: any BallotStore
    /// The key for receipts; with any other, nothing is found.
    let secret: BallotSecret

    /// The sprints with a receipt of the user; cleared ones have none, and imported ones are stored as cleared.
    func sprintsVotedIn(by userID: User.ID) async throws -> [(team: Team, sprint: Sprint.Key)] {
        var votedIn: [(team: Team, sprint: Sprint.Key)] = []
        try await forEachPage { keys in
            let found = try await ballots.existing(among: receipts(of: userID, in: keys)).map(\.sprint)
            let teams = try await store.read { try $0.teams(found.map(\.teamID)) }
            for key in keys where found.contains(key) {
                if let team = teams.first(where: { $0.id == key.teamID }) { votedIn.append((team, key)) }
            }
        }
        return votedIn
    }

    private func receipts(of userID: User.ID, in keys: [Sprint.Key]) -> [Receipt] {
        keys.map { Receipt(secret: secret, sprint: $0, userID: userID) }
    }

    /// The sprints of all teams: the user may have left a team in which they voted, and past memberships are not
    /// stored.
    private func forEachPage(_ body: ([Sprint.Key]) async throws -> Void) async throws {
        var last: Sprint.Key?
        repeat {
            try Task.checkCancellation()
            let page = try await store.read { [last] rows in
                try rows.unclearedSprints(after: last, limit: Self.pageSize)
            }
            try await body(page)
            last = page.count < Self.pageSize ? nil : page.last
        } while last != nil
    }
}
