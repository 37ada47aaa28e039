import Foundation
import Mongo

/// Casting a batch takes four round trips whatever its size: the facts, and in the transaction the aggregates, the
/// receipts, the commit. Feedback takes one more.
extension MongoBallotStore {
    func cast(_ ballots: [Ballot], at now: Date) throws -> [BallotOutcome] {
        guard !ballots.isEmpty else { return [] }
        return try connection.runBlocking { database in
            var competition = Competition()
            var meetsClosedSprint = false
            while true {
                let asksForReceipts = competition.isOn || meetsClosedSprint
                let facts = try BallotBatch.Facts(for: ballots, withReceipts: asksForReceipts, in: database)
                let batch = BallotBatch(ballots, facts: facts, at: now)
                if !asksForReceipts, batch.outcomes.contains(.sprintClosed) {
                    // Only its receipt tells a repeated ballot from one that came too late.
                    meetsClosedSprint = true
                    continue
                }
                do {
                    try write(batch, in: database)
                    return batch.outcomes
                } catch is OutdatedFacts {
                    guard competition.goesOn() else { throw AppError.storeUnavailable }
                    if competition.isSuspicious { try database.endAbandonedTransactions() }
                }
            }
        }
    }

    /// Between the question and the transaction, or during it, somebody else voted, closed the sprint or raised its
    /// threshold: nothing is written, and the facts have to be fetched again.
    private struct OutdatedFacts: Error {}

    private func write(_ batch: BallotBatch, in database: MongoDatabase) throws {
        guard !batch.counted.isEmpty else { return }
        let numbers = Dictionary(
            batch.sprintChanges.map { ($0.key, $0.snapshotNumber) }, uniquingKeysWith: { first, _ in first })
        let receipts = batch.counted.map { $0.receipt.document(sprint: $0.sprint) }
        let feedback = batch.counted.compactMap { ballot in
            ballot.feedback.map {
                Feedback.document(text: $0, sprint: ballot.sprint, snapshot: numbers[ballot.sprint] ?? 1)
            }
        }
        let updates = batch.sprintChanges.map(Self.update)
        var isFirstAttempt = true
        try database.transaction { transaction in
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
        }
    }

    /// Counts the new values with increments.
    ///
    /// What is published was decided on a state read before, so the filter demands that very state: a sprint's count
    /// only ever grows, and everything else that matters changes with it, by closing, or by raising the threshold.
    /// If somebody else writes to the sprint after the transaction has begun, the update has a write conflict instead.
    private static func update(_ change: BallotBatch.SprintChange) -> BulkUpdate {
        let before = change.before.state.current
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
                "_id": .string(change.key.documentID), "closed": false, "count": .int(before.count),
                "threshold": .int(change.before.threshold),
            ],
            update)
    }

    /// A batch's contest with other processes' for the same team.
    private struct Competition {
        private let begun = ContinuousClock.now
        private var failures = 0
        private var hasSuspected = false

        /// Whether another batch has been faster.
        var isOn: Bool { failures > 0 }

        /// Whether the other may be no competitor but a process that died and left its transaction open; once true.
        private(set) var isSuspicious = false

        /// Pauses, unless three seconds are over: callers expect an answer within five. The pause is random and grows
        /// up to 16 ms, for those who collided would collide again.
        mutating func goesOn() -> Bool {
            let elapsed = ContinuousClock.now - begun
            guard elapsed < .seconds(3) else { return false }
            failures += 1
            isSuspicious = !hasSuspected && elapsed > .seconds(1)
            hasSuspected = hasSuspected || isSuspicious
            Thread.sleep(forTimeInterval: .random(in: 0...0.001) * Double(1 << min(failures, 4)))
            return true
        }
    }
}
