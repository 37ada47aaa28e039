import Mongo

/// What a batch was decided on is not so any more, or never was: somebody else voted, closed the sprint or raised its
/// threshold, or somebody may not vote. Nothing is written, and the facts have to be fetched again.
struct OutdatedFacts: Error {}

/// Writes what was decided on a batch of ballots.
enum MongoBallotWriter {
    /// Aggregates, receipts and feedback in one transaction.
    ///
    /// - Parameter admit: runs when everything is written, before the commit; what it throws rolls everything back.
    /// - Returns: what `admit` returned.
    /// - Throws: `OutdatedFacts`; `MongoError`; what `admit` throws.
    static func write<Admission>(
        _ decision: BallotDecision, in database: MongoDatabase, admit: () throws -> Admission
    ) throws -> Admission {
        let receipts = decision.counted.map { $0.ballot.receipt.document() }
        let feedback = decision.counted.compactMap { ballot, snapshot in
            ballot.feedback.map {
                StoredFeedback(id: .random(), snapshot: snapshot, content: .sealed($0)).document(in: ballot.sprint)
            }
        }
        let updates = decision.sprintChanges.map(update)
        var isFirstAttempt = true
        return try database.transaction { transaction in
            // A write conflict means that somebody else is about to change what was decided on: the same attempt again
            // would hardly ever succeed, and second votes of one person would only keep each other from being noticed.
            guard isFirstAttempt else { throw OutdatedFacts() }
            isFirstAttempt = false
            // First, because here two writers on one team collide: who loses has written nothing yet.
            let updated = try database.collection(.happiness).bulkUpdate(updates, ordered: false, in: transaction)
            guard updated.matched == updates.count else { throw OutdatedFacts() }
            do {
                try database.collection(.userSprints).insertMany(receipts, ordered: false, in: transaction)
            } catch let error as MongoError where error.kind == .duplicateKey {
                throw OutdatedFacts()
            }
            try database.collection(.feedback).insertMany(feedback, ordered: false, in: transaction)
            return try admit()
        }
    }

    /// Counts the new values with increments.
    ///
    /// What is published, and which snapshot releases the feedback, was decided on a state read or remembered before, so
    /// the filter demands that very state. Its policy never changes. A sprint's count only ever grows, and everything
    /// else that matters changes with it, by closing, or by raising the threshold; sum and numbers are compared as well
    /// because a backup put back under a running server could bring the same count with other votes. If somebody else
    /// writes to the sprint after the transaction has begun, the update has a write conflict instead.
    private static func update(_ change: BallotDecision.SprintChange) -> BulkUpdate {
        let state = change.before.state
        let before = state.current
        let after = change.after.current
        var increments: BSONDocument = [
            "count": .int(after.count - before.count), "sum": .int(after.sum - before.sum),
        ]
        for (column, count) in after.distribution.enumerated() where count != before.distribution[column] {
            increments.append("distribution.\(column)", .int(count - before.distribution[column]))
        }
        var update: BSONDocument = ["$inc": .document(increments)]
        if change.takesSnapshot { update.append("$set", .document(change.after.publicationFields)) }
        return BulkUpdate(
            [
                "_id": .string(change.key.documentID), "closed": false, "threshold": .int(change.before.threshold),
                "count": .int(before.count), "sum": .int(before.sum),
                "snapshot.number": .int(state.snapshotNumber), "published.number": .int(state.publishedNumber),
            ],
            update)
    }
}
