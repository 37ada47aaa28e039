import Foundation
import Mongo

/// Casting a batch takes few round trips whatever its size: in the transaction the aggregates, the receipts, the feedback
/// if there is any, and the commit; and one question for the facts, which is asked meanwhile, or first where that failed.
extension MongoBallotStore {
    func cast(_ ballots: [Ballot], at now: Date) throws -> [BallotOutcome] {
        guard !ballots.isEmpty else { return [] }
        let remembered = memory.sprints(Set(ballots.map(\.sprint)), at: now)
        return try connection.runBlocking { database in
            if let remembered, let outcomes = try castAhead(ballots, in: remembered, at: now, database) {
                return outcomes
            }
            // Second votes are the likeliest reason why casting ahead failed.
            return try castKnowing(ballots, withReceipts: remembered != nil, at: now, database)
        }
    }

    /// Writes as if the sprints were as this process left them and everybody might vote, asks meanwhile over another
    /// connection whether everybody may, and commits only after that answer.
    ///
    /// So session and membership are judged as strictly as otherwise: by the store, at an instant after the vote came in
    /// and before it is answered.
    ///
    /// - Returns: nil if nothing was written, because an assumption was wrong or nobody was free to ask.
    private func castAhead(
        _ ballots: [Ballot], in sprints: [Sprint.Key: BallotDecision.OpenSprint], at now: Date,
        _ database: MongoDatabase
    ) throws -> [BallotOutcome]? {
        let decision = BallotDecision(ballots, facts: BallotDecision.Facts(sprints: sprints), at: now)
        do {
            let admission = try connection.whileAsking {
                try BallotDecision.Facts(for: ballots, with: [], in: $0).admission
            } _: { answer in
                try MongoBallotWriter.write(decision, in: database) {
                    guard let admission = try answer.get(), admission.admitsAll(ballots, at: now) else {
                        throw OutdatedFacts()
                    }
                    return admission
                }
            }
            guard let admission else { return nil }
            memory.remember(decision.sprintChanges, at: now)
            return decision.outcomes(memberCounts: admission.memberCounts)
        } catch is OutdatedFacts {
            memory.doubt(Set(sprints.keys), at: now)
            return nil
        }
    }

    /// Fetches the facts first, and as often as they turn out to be outdated.
    /// - Parameter withReceipts: whether second votes are to be expected.
    private func castKnowing(
        _ ballots: [Ballot], withReceipts: Bool, at now: Date, _ database: MongoDatabase
    ) throws -> [BallotOutcome] {
        var competition = Competition()
        var extras: BallotDecision.Facts.Extras = withReceipts ? [.sprints, .receipts] : .sprints
        while true {
            let facts = try BallotDecision.Facts(for: ballots, with: extras, in: database)
            let decision = BallotDecision(ballots, facts: facts, at: now)
            do {
                if !decision.counted.isEmpty { try MongoBallotWriter.write(decision, in: database) {} }
                memory.remember(decision.sprintChanges, at: now)
                return decision.outcomes(memberCounts: facts.admission?.memberCounts ?? [:])
            } catch is OutdatedFacts {
                guard competition.goesOn() else { throw AppError.storeUnavailable }
                if competition.isSuspicious { try database.endAbandonedTransactions() }
                extras.insert(.receipts)
            }
        }
    }

    /// A batch's contest with other processes' for the same team.
    private struct Competition {
        private let begun = ContinuousClock.now
        private var failures = 0
        private var hasSuspected = false

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
