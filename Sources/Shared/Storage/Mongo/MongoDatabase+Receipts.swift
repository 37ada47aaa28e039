import Mongo

/// Receipts of accounts that are created or deleted, or get another address: one mailbox has one ballot per sprint.
extension MongoDatabase {
    /// Replaces a deleted account's receipts by receipts for its address.
    func keepReceipts(of user: User, secret: BallotSecret, in transaction: MongoTransaction) throws {
        try rename(
            unclearedSprints(of: nil, in: transaction).map {
                (
                    old: Receipt(secret: secret, sprint: $0, userID: user.id),
                    new: Receipt(secret: secret, sprint: $0, address: user.email)
                )
            }, in: transaction)
    }

    /// Replaces receipts for an address by receipts for its user when they join a team: an earlier account with the
    /// address may have voted in the team's open sprints.
    /// - Parameter teamID: `nil` means every team.
    func takeReceipts(
        of user: User, in teamID: Team.ID?, secret: BallotSecret, _ transaction: MongoTransaction
    ) throws {
        try rename(
            unclearedSprints(of: teamID, in: transaction).map {
                (
                    old: Receipt(secret: secret, sprint: $0, address: user.email),
                    new: Receipt(secret: secret, sprint: $0, userID: user.id)
                )
            }, in: transaction)
    }

    /// Adds receipts for a user's new address; the user's own receipts stay.
    func addReceipts(of user: User, secret: BallotSecret, in transaction: MongoTransaction) throws {
        let sprints = try unclearedSprints(of: nil, in: transaction)
        let own = sprints.map { Receipt(secret: secret, sprint: $0, userID: user.id) }
        let votedIn = Set(try existing(among: own, in: transaction).map(\.sprint))
        let added = votedIn.map { Receipt(secret: secret, sprint: $0, address: user.email) }
        let present = try existing(among: added, in: transaction)
        try collection(.userSprints).insertMany(
            added.filter { !present.contains($0) }.map { $0.document(isCounted: false) }, in: transaction)
    }

    /// Which of the receipts exist.
    func existing(among receipts: [Receipt], in transaction: MongoTransaction?) throws -> Set<Receipt> {
        Set(try documents(of: receipts, in: transaction).keys)
    }

    /// Leaves both unchanged if both exist.
    private func rename(_ pairs: [(old: Receipt, new: Receipt)], in transaction: MongoTransaction) throws {
        let old = try documents(of: pairs.map(\.old), in: transaction)
        let renamed = pairs.filter { old[$0.old] != nil }
        let present = try existing(among: renamed.map(\.new), in: transaction)
        let moved = renamed.filter { !present.contains($0.new) }
        guard !moved.isEmpty else { return }
        let receipts = collection(.userSprints)
        try receipts.deleteMany(.among(moved.map(\.old)), in: transaction)
        try receipts.insertMany(
            moved.map { $0.new.document(isCounted: old[$0.old]?["extra"] == nil) }, in: transaction)
    }

    /// Existing receipts in their stored form.
    private func documents(
        of receipts: [Receipt], in transaction: MongoTransaction?
    ) throws -> [Receipt: BSONDocument] {
        let receipts = Array(Set(receipts))
        let byID = Dictionary(receipts.map { ($0.bytes, $0) }) { first, _ in first }
        var found: [Receipt: BSONDocument] = [:]
        for first in stride(from: 0, to: receipts.count, by: Self.sliceLength) {
            let slice = receipts[first..<min(first + Self.sliceLength, receipts.count)]
            try collection(.userSprints).forEach(
                .among(slice), projection: ["extra": 1], in: transaction
            ) { document in
                if let receipt = byID[try document.bytes("_id")] { found[receipt] = document }
                return true
            }
        }
        return found
    }

    private func unclearedSprints(of teamID: Team.ID?, in transaction: MongoTransaction) throws -> [Sprint.Key] {
        var filter: BSONDocument = ["cleared": false]
        filter.appendIfPresent("team", teamID.map { .id($0) })
        return try collection(.happiness)
            .find(filter, projection: ["team": 1, "start": 1], in: transaction)
            .map { Sprint.Key(teamID: try $0.parsed("team"), start: try $0.date("start")) }
    }

    /// Receipts per filter: 40 bytes each, far below a document's limit of 16 MiB.
    private static let sliceLength = 10_000
}
