import Foundation
import GRDB

/// Ballots in the tables `userSprints`, `happiness` and `feedback`.
struct SQLiteBallotStore: BallotStore {
    /// Receipts a statement names. One statement text for every full slice, far below SQLite's limit of 32,766.
    private static let slice = 500

    let database: SQLiteDatabase
    /// A commit of one ballot is so short that waiting for others costs more than it saves.
    let gathering = Duration.zero

    func cast(_ ballots: [Ballot], at now: Date) throws -> [BallotOutcome] {
        guard !ballots.isEmpty else { return [] }
        return try database.writeBlocking { db in
            var batch = try SQLiteBallotBatch(db: db, now: now)
            for ballot in ballots {
                try batch.cast(ballot)
            }
            return try batch.finish()
        }
    }

    func contains(_ receipt: Receipt) async throws -> Bool {
        try await database.read { db in
            try db.contains("SELECT 1 FROM userSprints WHERE receipt = ?", [Data(receipt.bytes)])
        }
    }

    func count(of receipts: [Receipt]) async throws -> Int {
        let keys = Set(receipts).map { Data($0.bytes) }
        return try await database.read { db in
            try keys.slices(of: Self.slice).reduce(0) { sum, slice in
                let count = try db.first(
                    "SELECT count(*) FROM userSprints WHERE receipt IN (\(slice.places))", SQLiteArguments(slice)
                ) { $0.value(as: Int.self) }
                return sum + (count ?? 0)
            }
        }
    }

    func existing(among receipts: [Receipt]) async throws -> Set<Receipt> {
        let keys = Set(receipts).map { Data($0.bytes) }
        return try await database.read { db in
            try keys.slices(of: Self.slice).reduce(into: []) { existing, slice in
                let found = try db.rows(
                    "SELECT receipt FROM userSprints WHERE receipt IN (\(slice.places))", SQLiteArguments(slice)
                ) { Receipt(stored: $0.bytes()) }
                existing.formUnion(found)
            }
        }
    }

    func remove(_ receipts: [Receipt]) async throws {
        let keys = receipts.map { Data($0.bytes) }
        try await database.write { db in
            for slice in keys.slices(of: Self.slice) {
                try db.change(
                    "DELETE FROM userSprints WHERE receipt IN (\(slice.places))", SQLiteArguments(slice))
            }
        }
    }

    func close(_ key: Sprint.Key, ifMemberCountIs memberCount: Int?) async throws -> Bool {
        try await database.write { db in
            guard let record = try db.sprint(key), !record.state.isClosed else { return false }
            let members = try db.memberCount(of: key.teamID)
            if let memberCount {
                guard memberCount == members, record.wouldPublishEverything else { return false }
            }
            var state = record.state
            state.close(policy: record.sprint.policy, threshold: record.sprint.threshold)
            try db.writePublication(of: key, from: record.state, to: state)
            try db.change(
                "UPDATE happiness SET isClosed = 1, eligible = ? WHERE team = ? AND sprintStart = ?",
                [max(members, state.current.count), key.teamID.description, key.start.seconds])
            try db.countPublication(of: key.teamID)
            return true
        }
    }

    func feedback(
        of key: Sprint.Key, publishedNumber: Int, after: Feedback.ID?, limit: Int
    ) async throws -> [Feedback] {
        try await database.read { db in
            try db.feedback(of: key, publishedNumber: publishedNumber, after: after, limit: limit)
        }
    }

    func feedback(teamID: Team.ID, publishedNumbers: [Date: Int]) async throws -> [Date: [Feedback]] {
        try await database.read { db in
            var texts: [Date: [Feedback]] = [:]
            for (start, number) in publishedNumbers {
                texts[start] = try db.feedback(
                    of: Sprint.Key(teamID: teamID, start: start), publishedNumber: number, after: nil, limit: -1)
            }
            return texts
        }
    }

    func importFeedback(_ texts: [(key: Sprint.Key, text: FeedbackText)]) async throws {
        try await database.write { db in
            for (key, text) in texts {
                // The first snapshot releases it: visible as soon as anything of the sprint is.
                try db.insertFeedback(text, of: key, snapshot: 1)
            }
        }
    }
}

extension Database {
    /// Members of the team now; 0 if there is no such team.
    func memberCount(of teamID: Team.ID) throws -> Int {
        try first("SELECT memberCount FROM teams WHERE id = ?", [teamID.description]) { $0.value() } ?? 0
    }

    /// Stores a feedback under a random id, to be released by the given snapshot.
    func insertFeedback(_ text: FeedbackText, of key: Sprint.Key, snapshot: Int) throws {
        try change(
            "INSERT INTO feedback (team, sprintStart, id, snapshot, text) VALUES (?, ?, ?, ?, ?)",
            [key.teamID.description, key.start.seconds, Feedback.ID.random().description, snapshot, text.text])
    }

    /// Writes the snapshot and the published state, where they have changed.
    func writePublication(of key: Sprint.Key, from old: PublicationState, to new: PublicationState) throws {
        if new.snapshotNumber != old.snapshotNumber {
            try change(
                Self.setTally(prefix: "snapshot"),
                new.snapshot.arguments + [new.snapshotNumber, key.teamID.description, key.start.seconds])
        }
        if new.publishedNumber != old.publishedNumber {
            try change(
                Self.setTally(prefix: "published"),
                new.published.arguments + [new.publishedNumber, key.teamID.description, key.start.seconds])
        }
    }

    /// Released texts in order of their ids; a negative limit is none.
    fileprivate func feedback(
        of key: Sprint.Key, publishedNumber: Int, after: Feedback.ID?, limit: Int
    ) throws -> [Feedback] {
        try rows(
            """
            SELECT id, text FROM feedback WHERE team = ? AND sprintStart = ? AND id > ? AND snapshot <= ?
            ORDER BY id LIMIT ?
            """,
            [
                key.teamID.description, key.start.seconds, after?.description ?? "", publishedNumber, limit,
            ]
        ) { Feedback(id: try $0.parsed(), text: $0.value()) }
    }

    private static func setTally(prefix: String) -> String {
        let columns = ["\(prefix)Count", "\(prefix)Sum"] + SprintRecord.distribution(prefix) + ["\(prefix)Number"]
        return "UPDATE happiness SET \(columns.map { "\($0) = ?" }.joined(separator: ", ")) "
            + "WHERE team = ? AND sprintStart = ?"
    }
}

extension [Data] {
    fileprivate func slices(of size: Int) -> [[Data]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }

    /// A place for each, as a list in a statement.
    fileprivate var places: String {
        map { _ in "?" }.joined(separator: ", ")
    }
}
