import Domain
import Mongo

extension MongoRows: ReceiptChanges {
    func moveReceipts(
        from old: ReceiptHolder, to new: ReceiptHolder, in teamID: Team.ID?, secret: BallotSecret
    ) throws {
        try rename(
            unclearedSprints(of: teamID).map {
                (old: old.receipt(in: $0, secret: secret), new: new.receipt(in: $0, secret: secret))
            })
    }

    func copyReceipts(
        from old: ReceiptHolder, to new: ReceiptHolder, in teamID: Team.ID?, isHidden: Bool, secret: BallotSecret
    ) throws {
        let sprints = try unclearedSprints(of: teamID)
        let own = sprints.map { old.receipt(in: $0, secret: secret) }
        let votedIn = Set(try database.existing(among: own, in: transaction).map(\.sprint))
        let copies = votedIn.map { new.receipt(in: $0, secret: secret) }
        let present = try database.existing(among: copies, in: transaction)
        var added = copies.filter { !present.contains($0) }
        if isHidden {
            let copiedIn = Set(added.map(\.sprint))
            added += sprints.filter { !copiedIn.contains($0) }
                .map { ReceiptHolder.user(.random()).receipt(in: $0, secret: secret) }
        }
        try insertReceipts(added.map { (receipt: $0, isCounted: false) })
    }

    func insertReceipts(_ receipts: [(receipt: Receipt, isCounted: Bool)]) throws {
        let documents = receipts.sorted { $0.receipt.precedes($1.receipt) }
            .map { $0.receipt.document(isCounted: $0.isCounted) }
        try collection(.userSprints).insertMany(documents, in: transaction)
    }

    /// Leaves both unchanged if both exist.
    private func rename(_ pairs: [(old: Receipt, new: Receipt)]) throws {
        let old = try database.documents(of: pairs.map(\.old), in: transaction)
        let renamed = pairs.filter { old[$0.old] != nil }
        let present = try database.existing(among: renamed.map(\.new), in: transaction)
        let moved = renamed.filter { !present.contains($0.new) }
        guard !moved.isEmpty else { return }
        let receipts = collection(.userSprints)
        try receipts.deleteMany(.among(moved.map(\.old)), in: transaction)
        try receipts.insertMany(
            moved.map {
                let stored = old[$0.old]
                return $0.new.document(isCounted: stored?["extra"] == nil, mark: stored?["paper"]?.binaryValue)
            }, in: transaction)
    }

    private func unclearedSprints(of teamID: Team.ID?) throws -> [Sprint.Key] {
        var filter: BSONDocument = ["cleared": false]
        filter.appendIfPresent("team", teamID.map { .id($0) })
        return try collection(.happiness)
            .find(filter, projection: ["team": 1, "start": 1], in: transaction)
            .map { try Sprint.Key($0) }
    }
}

extension MongoDatabase {
    /// Which of the receipts exist.
    func existing(among receipts: [Receipt], in transaction: MongoTransaction?) throws -> Set<Receipt> {
        Set(try documents(of: receipts, in: transaction).keys)
    }

    /// Existing receipts in their stored form.
    fileprivate func documents(
        of receipts: [Receipt], in transaction: MongoTransaction?
    ) throws -> [Receipt: BSONDocument] {
        let receipts = Array(Set(receipts))
        let byID = Dictionary(receipts.map { ($0.bytes, $0) }) { first, _ in first }
        var found: [Receipt: BSONDocument] = [:]
        for first in stride(from: 0, to: receipts.count, by: Self.sliceLength) {
            let slice = receipts[first..<min(first + Self.sliceLength, receipts.count)]
            try collection(.userSprints).forEach(
                .among(slice), projection: ["extra": 1, "paper": 1], in: transaction
            ) { document in
                if let receipt = byID[try document.bytes("_id")] { found[receipt] = document }
                return true
            }
        }
        return found
    }

    /// Receipts per filter: 40 bytes each, far below a document's limit of 16 MiB.
    private static let sliceLength = 10_000
}
