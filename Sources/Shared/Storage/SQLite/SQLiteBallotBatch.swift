import Foundation
import GRDB

/// Ballots that are counted in one transaction: two look-ups and an insert each, and one update a sprint.
///
/// Nothing here reads more than single rows by key, so a ballot costs the same however many came before.
struct SQLiteBallotBatch {
    /// A sprint of the batch, as it was before it.
    private struct Box {
        let record: SprintRecord
        let memberCount: Int
        var values: [Happiness] = []
        /// Places in `outcomes`.
        var counted: [Int] = []
    }

    private let db: Database
    private let now: Int64
    private let findMember: Statement
    private let insertReceipt: Statement
    private var boxes: [Sprint.Key: Box] = [:]
    private var outcomes: [BallotOutcome] = []

    /// A batch in the transaction that `db` is in.
    init(db: Database, now: Date) throws {
        self.db = db
        self.now = now.milliseconds
        findMember = try db.cachedStatement(
            sql: """
                SELECT EXISTS (SELECT 1 FROM memberships WHERE user = sessions.user AND team = ?)
                FROM sessions WHERE id = ? AND user = ? AND expires > ?
                """)
        insertReceipt = try db.cachedStatement(
            sql: "INSERT OR IGNORE INTO userSprints (team, sprintStart, receipt) VALUES (?, ?, ?)")
    }

    /// Checks a ballot and stores its receipt and feedback; `finish` counts its value.
    mutating func cast(_ ballot: Ballot) throws {
        outcomes.append(try outcome(of: ballot))
    }

    /// Counts what was cast.
    /// - Returns: the outcomes, in the order of the ballots.
    mutating func finish() throws -> [BallotOutcome] {
        for (key, box) in boxes where !box.values.isEmpty {
            var state = box.record.state
            state.count(box.values, policy: box.record.sprint.policy, threshold: box.record.sprint.threshold)
            try add(state.current, minus: box.record.state.current, to: key)
            try db.writePublication(of: key, from: box.record.state, to: state)
            if state.publishedNumber != box.record.state.publishedNumber {
                try db.countPublication(of: key.teamID)
            }
            for index in box.counted {
                outcomes[index] = .counted(mayComplete: state.current.count >= box.memberCount)
            }
        }
        return outcomes
    }

    private mutating func outcome(of ballot: Ballot) throws -> BallotOutcome {
        guard let isMember = try isMember(ballot) else { return .sessionEnded }
        guard isMember else { return .notAMember }
        guard let state = try box(of: ballot.sprint)?.record.state, !state.isClosed else {
            return .sprintClosed
        }
        try insertReceipt.run(
            [ballot.sprint.teamID.description, ballot.sprint.start.seconds, Data(ballot.receipt.bytes)])
        guard db.changesCount == 1 else { return .alreadyVoted }
        if let feedback = ballot.feedback {
            try db.insert(
                StoredFeedback(
                    id: .random(), snapshot: state.snapshotNumber + 1, content: .sealed(feedback)), of: ballot.sprint)
        }
        boxes[ballot.sprint]?.values.append(ballot.happiness)
        boxes[ballot.sprint]?.counted.append(outcomes.count)
        return .counted(mayComplete: false)
    }

    /// `nil` if the session is not there, expired, or somebody else's.
    private func isMember(_ ballot: Ballot) throws -> Bool? {
        try findMember.rows(
            [ballot.sprint.teamID.description, ballot.sessionID.description, ballot.userID.description, now]
        ) { $0.value(as: Bool.self) }.first
    }

    private mutating func box(of key: Sprint.Key) throws -> Box? {
        if let box = boxes[key] { return box }
        guard let record = try db.sprint(key) else { return nil }
        let box = Box(record: record, memberCount: try db.memberCount(of: key.teamID))
        boxes[key] = box
        return box
    }

    private func add(_ new: Tally, minus old: Tally, to key: Sprint.Key) throws {
        let distribution = zip(new.distribution, old.distribution).map { $0 - $1 }
        let added = Tally(count: new.count - old.count, sum: new.sum - old.sum, distribution: distribution)
        let changed = try db.change(
            Self.addTally, added.arguments + [key.teamID.description, key.start.seconds])
        guard changed == 1 else { throw SQLiteStorageError("A sprint vanished while its ballots were counted.") }
    }

    private static let addTally: String = {
        let columns = ["count", "sum"] + SprintRecord.distribution("count")
        return "UPDATE happiness SET \(columns.map { "\($0) = \($0) + ?" }.joined(separator: ", ")) "
            + "WHERE team = ? AND sprintStart = ? AND isClosed = 0"
    }()
}
