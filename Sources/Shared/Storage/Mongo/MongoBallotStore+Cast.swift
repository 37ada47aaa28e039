import Commitments
import Domain
import Foundation
import Mongo

/// Casting a batch of any size takes few round trips: in the transaction the aggregates, the receipts, any feedback,
/// and the commit. One query fetches the facts, at the same time or, if that failed, beforehand.
extension MongoBallotStore {
    func cast(_ entries: [BallotBoxEntry], at now: Date) throws -> [BallotOutcome] {
        guard !entries.isEmpty else { return [] }
        let remembered = memory.sprints(Set(entries.map(\.sprint)), at: now)
        return try connection.runBlocking { database in
            // No insert detects that another member with the same mailbox has voted.
            let sharesMailbox = entries.contains { $0.voter?.sharedReceipts.isEmpty == false }
            if let remembered, !sharesMailbox,
                let outcomes = try castWithoutReading(entries, in: remembered, at: now, database)
            {
                return outcomes
            }
            // Second votes are the most likely reason for the failure.
            return try castAfterReading(
                entries, withReceipts: remembered != nil || sharesMailbox, at: now, database)
        }
    }

    func outcome(of request: PaperRequest, at now: Date) async throws -> BallotOutcome {
        let entry = BallotBoxEntry.request(request)
        return try await connection.run { database in
            let facts = try BallotDecision.Facts(for: [entry], with: [.sprints, .receipts], in: database)
            return BallotDecision([entry], facts: facts, at: now).outcomes(memberCounts: [:])[0]
        }
    }

    /// Writes on the assumption that the sprints are as this process left them and that all voters are admitted.
    /// Another connection checks admission at the same time, and the commit waits for its answer.
    ///
    /// Session and membership are therefore judged as strictly as otherwise: by the store, at an instant after the vote
    /// arrived and before its response.
    ///
    /// - Returns: nil if nothing was written, because an assumption was wrong or no thread was free for the query.
    private func castWithoutReading(
        _ entries: [BallotBoxEntry], in sprints: [Sprint.Key: BallotDecision.OpenSprint], at now: Date,
        _ database: MongoDatabase
    ) throws -> [BallotOutcome]? {
        let decision = BallotDecision(entries, facts: BallotDecision.Facts(sprints: sprints), at: now)
        do {
            let admission = try connection.whileAsking {
                try BallotDecision.Facts(for: entries, with: [], in: $0).admission
            } _: { result in
                try MongoBallotWriter.write(decision, in: database) {
                    guard let admission = try result.get(), admission.admitsAll(entries, at: now) else {
                        throw OutdatedFacts()
                    }
                    return admission
                }
            }
            guard let admission else { return nil }
            memory.remember(decision.sprintChanges, at: now)
            return decision.outcomes(memberCounts: admission.memberCounts)
        } catch is OutdatedFacts {
            memory.invalidate(Set(sprints.keys), at: now)
            return nil
        }
    }

    /// Fetches the facts first, and again each time they turn out to be outdated.
    /// - Parameter withReceipts: whether second votes are to be expected.
    private func castAfterReading(
        _ entries: [BallotBoxEntry], withReceipts: Bool, at now: Date, _ database: MongoDatabase
    ) throws -> [BallotOutcome] {
        var retries = Retries()
        var extras: BallotDecision.Facts.Extras = withReceipts ? [.sprints, .receipts] : .sprints
        while true {
            let facts = try BallotDecision.Facts(for: entries, with: extras, in: database)
            let decision = BallotDecision(entries, facts: facts, at: now)
            do {
                if !decision.isEmpty { try MongoBallotWriter.write(decision, in: database) {} }
                memory.remember(decision.sprintChanges, at: now)
                return decision.outcomes(memberCounts: facts.admission?.memberCounts ?? [:])
            } catch is OutdatedFacts {
                guard retries.continues() else { throw StorageError.unavailable }
                if retries.isSuspicious { try database.endAbandonedTransactions() }
                extras.insert(.receipts)
            }
        }
    }

    /// Limits how long a batch competes with other processes for the same team.
    private struct Retries {
        private let begun = ContinuousClock.now
        private var failures = 0
        private var hasSuspected = false

        /// Whether the competitor may be a crashed process that left its transaction open; true at most once.
        private(set) var isSuspicious = false

        /// Pauses and returns true, unless three seconds have passed: callers expect a response within five. The pause
        /// is random and grows up to 16 ms, because colliding processes would otherwise collide again.
        mutating func continues() -> Bool {
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

extension BallotDecision.Facts {
    /// Facts to query in addition to sessions, memberships and member counts.
    struct Extras: OptionSet {
        let rawValue: Int

        /// Terms and state of the sprints.
        static let sprints = Extras(rawValue: 1)
        /// Existing receipts and spent papers. Queried only after an insert failed: nearly all votes are first votes.
        static let receipts = Extras(rawValue: 2)
    }

    /// Fetches the facts of a batch of any size in one round trip: one aggregation over the collections.
    ///
    /// It runs outside the transaction, because `$unionWith` is not allowed inside
    /// (https://www.mongodb.com/docs/manual/reference/operator/aggregation/unionWith/). For session and membership that
    /// is sufficient: a vote is judged by the state at an instant between request and response. The sprint's state must
    /// still be the same in the transaction, which `MongoBallotWriter` ensures.
    init(for entries: [BallotBoxEntry], with extras: Extras, in database: MongoDatabase) throws {
        let sprintIDs = Self.byDocumentID(Set(entries.map(\.sprint)))
        let voters = entries.compactMap(\.voter)
        let asked = Set(voters.flatMap { [$0.receipt] + $0.sharedReceipts })
        let papers = entries.compactMap(\.paper)
        let members = Self.byDocumentID(
            voters.map { BallotAdmission.Member(teamID: $0.receipt.sprint.teamID, userID: $0.userID) })
        let teamIDs = Set(entries.map(\.sprint.teamID))
        var pipeline = Self.stages(
            .sessions, ["_id": .among(Set(voters.map(\.sessionID)).map(BSONValue.id))],
            fields: ["user": 1, "expires": 1])
        pipeline.append(
            Self.union(.memberships, ["_id": .among(members.keys.map(BSONValue.string))], fields: [:]))
        pipeline.append(
            Self.union(.teams, ["_id": .among(teamIDs.map(BSONValue.id))], fields: ["memberCount": 1]))
        if extras.contains(.sprints) {
            pipeline.append(Self.union(.happiness, .among(Set(sprintIDs.values)), fields: Self.sprintFields))
        }
        if extras.contains(.receipts) {
            pipeline.append(Self.union(.userSprints, .among(asked), fields: ["paper": 1]))
            pipeline.append(Self.union(.spentPapers, .among(Set(papers)), fields: [:]))
        }
        let documents = try database.collection(.sessions).aggregate(pipeline, options: Self.oneBatch)
        var admission = BallotAdmission()
        var sprints: [Sprint.Key: BallotDecision.OpenSprint] = [:]
        var marks: [[UInt8]: [UInt8]?] = [:]
        var spent: Set<[UInt8]> = []
        for document in documents {
            switch try document.choice("from", as: MongoCollectionName.self) {
            case .sessions:
                admission.sessions[try document.parsed("_id")] = (
                    userID: try document.parsed("user"), expires: try document.date("expires")
                )
            case .memberships:
                if let member = members[try document.text("_id")] { admission.memberships.insert(member) }
            case .teams:
                admission.memberCounts[try document.parsed("_id")] = try document.int("memberCount")
            case .happiness:
                if let key = sprintIDs[try document.text("_id")] {
                    sprints[key] = try BallotDecision.OpenSprint(document)
                }
            case .userSprints:
                marks[try document.bytes("_id")] = .some(document["paper"]?.binaryValue)
            case .spentPapers:
                spent.insert(try document.bytes("_id"))
            default:
                continue
            }
        }
        var receipts: [Receipt: [UInt8]?] = [:]
        for receipt in asked {
            if let mark = marks[receipt.bytes] { receipts[receipt] = .some(mark) }
        }
        self.init(
            admission: admission, sprints: sprints, receipts: receipts,
            spentPapers: Set(papers.filter { spent.contains($0.hash) }))
    }

    /// Returns everything in the first reply. The default is 101 documents, with further round trips for the rest.
    private static let oneBatch: BSONDocument = ["batchSize": 10_000]

    private static let sprintFields: BSONDocument = [
        "threshold": 1, "policy": 1, "closed": 1, "count": 1, "sum": 1, "distribution": 1, "randomness": 1,
        "snapshot": 1, "published": 1,
    ]

    /// The documents that match a filter, with the named fields and their collection.
    private static func stages(
        _ name: MongoCollectionName, _ filter: BSONDocument, fields: BSONDocument
    ) -> [BSONDocument] {
        var projection: BSONDocument = ["from": ["$literal": .string(name.rawValue)]]
        for (field, value) in fields { projection.append(field, value) }
        return [["$match": .document(filter)], ["$project": .document(projection)]]
    }

    private static func union(
        _ name: MongoCollectionName, _ filter: BSONDocument, fields: BSONDocument
    ) -> BSONDocument {
        let pipeline = stages(name, filter, fields: fields).map(BSONValue.document)
        return ["$unionWith": ["coll": .string(name.rawValue), "pipeline": .array(pipeline)]]
    }

    private static func byDocumentID(_ keys: Set<Sprint.Key>) -> [String: Sprint.Key] {
        Dictionary(keys.map { ($0.documentID, $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static func byDocumentID(_ members: [BallotAdmission.Member]) -> [String: BallotAdmission.Member] {
        Dictionary(
            members.map { (Membership.documentID(of: $0.userID, in: $0.teamID), $0) },
            uniquingKeysWith: { first, _ in first })
    }
}

extension BallotDecision.OpenSprint {
    /// Reads the fields of a `happiness` document that counting needs.
    init(_ document: BSONDocument) throws {
        self.init(
            policy: try document.choice("policy"), threshold: try document.int("threshold"),
            state: try PublicationState(document))
    }
}

/// The facts behind a batch's decisions have changed, or were wrong: another process accepted a vote, closed the sprint
/// or raised its threshold, or a voter is not admitted. Nothing is written, and the facts must be fetched again.
struct OutdatedFacts: Error {}

/// Writes a decided batch of ballots.
enum MongoBallotWriter {
    /// Writes aggregates, receipts, commitments and feedback in one transaction.
    ///
    /// - Parameter admit: runs after all writes and before the commit; its errors roll everything back.
    /// - Returns: the result of `admit`.
    /// - Throws: `OutdatedFacts`; `MongoError`; what `admit` throws.
    static func write<Admission>(
        _ decision: BallotDecision, in database: MongoDatabase, admit: () throws -> Admission
    ) throws -> Admission {
        let receipts = decision.receipts.map { $0.receipt.document(mark: $0.mark) }
        let shared = decision.receipts.flatMap(\.sharedReceipts)
        let papers: [BSONDocument] = decision.counted.compactMap { ballot, snapshot in
            if case .paper(let paper) = ballot.right { paper.document(snapshot: snapshot) } else { nil }
        }
        let feedback = decision.counted.compactMap { ballot, snapshot in
            ballot.feedback.map {
                StoredFeedback(id: .random(), snapshot: snapshot, content: .sealed($0)).document(in: ballot.sprint)
            }
        }
        let commitments = decision.counted.map { ballot, snapshot in
            StoredCommitment(ballot.commitment, snapshot: snapshot).document(in: ballot.sprint)
        }
        let updates = decision.sprintChanges.map(update)
        var isFirstAttempt = true
        return try database.transaction { transaction in
            // A write conflict means that another transaction is changing the facts. The same attempt would hardly ever
            // succeed, and repeated second votes of one member would only delay their detection.
            guard isFirstAttempt else { throw OutdatedFacts() }
            isFirstAttempt = false
            // First, because two writers on one team collide here, before the loser has written anything.
            let updated = try database.collection(.happiness).bulkUpdate(updates, ordered: false, in: transaction)
            guard updated.matched == updates.count else { throw OutdatedFacts() }
            // Read after that write: a vote of another member with the same mailbox has written to the sprint, too, so
            // either it is visible here or one of the two transactions gets a write conflict.
            guard try shared.isEmpty || database.existing(among: shared, in: transaction).isEmpty else {
                throw OutdatedFacts()
            }
            do {
                try database.collection(.userSprints).insertMany(receipts, ordered: false, in: transaction)
                try database.collection(.spentPapers).insertMany(papers, ordered: false, in: transaction)
            } catch let error as MongoError where error.kind == .duplicateKey {
                throw OutdatedFacts()
            }
            try database.collection(.commitments).insertMany(commitments, ordered: false, in: transaction)
            try database.collection(.feedback).insertMany(feedback, ordered: false, in: transaction)
            return try admit()
        }
    }

    /// Adds the new values with increments.
    ///
    /// The decision about what is published, and which snapshot releases the feedback, is based on a state read or
    /// remembered earlier, so the filter requires exactly that state. The policy of a sprint never changes. A sprint's
    /// count only increases, and everything else that matters changes with it, on closing or on raising the threshold.
    /// Sum and numbers are compared as well, because a backup restored under a running server could have the same count
    /// with other votes. If another process writes to the sprint after the transaction has started, the update gets a
    /// write conflict instead.
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
        if change.papers.issued > 0 { increments.append("papers.issued", .int(change.papers.issued)) }
        if change.papers.spent > 0 { increments.append("papers.spent", .int(change.papers.spent)) }
        // Not an increment, as the filter requires the state before.
        var fields: BSONDocument = ["randomness": .binary(after.randomness.bytes)]
        if change.takesSnapshot {
            for (field, value) in change.after.publicationFields { fields.append(field, value) }
        }
        let update: BSONDocument = ["$inc": .document(increments), "$set": .document(fields)]
        return BulkUpdate(
            .sprint(
                change.key,
                and: [
                    "closed": false, "threshold": .int(change.before.threshold),
                    "count": .int(before.count), "sum": .int(before.sum),
                    "snapshot.number": .int(state.snapshotNumber), "published.number": .int(state.publishedNumber),
                ]),
            update)
    }
}

/// Open sprints as the last commit of this process left them, so that the next cast need not read them first.
///
/// They are only a guess, because other processes also count, close and raise thresholds: a transaction based on a
/// guess lets the store compare it (`MongoBallotWriter`). If guesses fail because another process writes to the sprint
/// too, guessing stops until a read has shown that no other process wrote in between.
struct SprintMemory: Sendable {
    private struct Guess: Sendable {
        let sprint: BallotDecision.OpenSprint
        let isReliable: Bool
    }

    /// More than the number of teams that vote within a minute; an evicted sprint costs one read.
    private static let capacity = 4_096
    /// Seconds. Teams vote in bursts. After this time without a vote a sprint is better read again: it may have ended,
    /// or the database may have been restored from a backup.
    private static let lifetime: TimeInterval = 60

    private let guesses = BoundedCache<Sprint.Key, Guess>(capacity: capacity)

    /// The probable state of these sprints; nil unless all of them are remembered and none is in doubt.
    func sprints(_ keys: Set<Sprint.Key>, at now: Date) -> [Sprint.Key: BallotDecision.OpenSprint]? {
        var found: [Sprint.Key: BallotDecision.OpenSprint] = [:]
        for key in keys {
            guard let guess = guesses.value(for: key, at: now), guess.isReliable else { return nil }
            found[key] = guess.sprint
        }
        return found
    }

    /// Remembers sprints as a commit left them.
    func remember(_ changes: [BallotDecision.SprintChange], at now: Date) {
        for change in changes {
            let last = guesses.value(for: change.key, at: now)
            let sprint = BallotDecision.OpenSprint(
                policy: change.before.policy, threshold: change.before.threshold, state: change.after)
            // A process that finds a sprint as it left it is the sprint's only writer. The first time it sees a sprint,
            // it assumes the same.
            let isReliable = last.map { $0.sprint == change.before } ?? true
            keep(Guess(sprint: sprint, isReliable: isReliable), of: change.key, at: now)
        }
    }

    /// Records that a guess was wrong or useless: the sprints are read before the next one.
    func invalidate(_ keys: Set<Sprint.Key>, at now: Date) {
        for key in keys {
            guard let guess = guesses.value(for: key, at: now) else { continue }
            keep(Guess(sprint: guess.sprint, isReliable: false), of: key, at: now)
        }
    }

    /// Removes a closed sprint.
    func forget(_ key: Sprint.Key) {
        guesses.remove(key)
    }

    private func keep(_ guess: Guess, of key: Sprint.Key, at now: Date) {
        guesses.store(
            guess, for: key, validity: now..<now.addingTimeInterval(Self.lifetime),
            unlessRemovedSince: guesses.removals)
    }
}
