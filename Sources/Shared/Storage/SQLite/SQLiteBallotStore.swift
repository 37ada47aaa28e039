import Commitments
import Domain
import Foundation
import GRDB

/// Ballots in the tables `userSprints`, `spentPapers`, `happiness`, `commitments` and `feedback`.
struct SQLiteBallotStore: BallotStore {
    let database: SQLiteDatabase
    /// A commit of one ballot is so short that waiting for more ballots costs more than it saves.
    let gathering = Duration.zero

    func cast(_ entries: [BallotBoxEntry], at now: Date) throws -> [BallotOutcome] {
        guard !entries.isEmpty else { return [] }
        return try database.writeBlocking { try $0.cast(entries, at: now) }
    }

    func outcome(of request: PaperRequest, at now: Date) async throws -> BallotOutcome {
        try await database.read { try $0.outcome(of: request, at: now) }
    }

    func existing(among receipts: [Receipt]) async throws -> Set<Receipt> {
        try await database.read { try $0.existing(among: receipts) }
    }

    func close(_ key: Sprint.Key) async throws -> Bool {
        try await database.write { db in
            guard let record = try db.sprint(key), !record.state.isClosed else { return false }
            try db.close(record)
            return true
        }
    }

    func closeEarly(_ key: Sprint.Key, secret: BallotSecret) async throws -> Bool {
        try await database.write { db in
            guard let record = try db.sprint(key) else { return false }
            let members: [(id: User.ID, email: String)] = try db.rows(
                "SELECT users.id, email FROM memberships JOIN users ON users.id = memberships.user WHERE team = ?",
                [key.teamID.description]
            ) { (id: try $0.parsed(), email: $0.value()) }
            let mailboxes = MemberReceipts(members, in: key, secret: secret)
            let mayClose = record.mayCloseEarly(
                members: mailboxes.count,
                receipts: mailboxes.count(among: try db.existing(among: mailboxes.receipts)),
                isAnyoneInvited: try db.contains(
                    "SELECT 1 FROM invitations WHERE team = ? LIMIT 1", [key.teamID.description]))
            if mayClose { try db.close(record) }
            return mayClose
        }
    }

    func clear(_ key: Sprint.Key, secret: BallotSecret) async throws {
        try await database.write { db in
            guard let record = try db.sprint(key), record.state.isClosed, !record.isCleared else { return }
            let sprint: SQLiteArguments = [key.teamID.description, key.start.seconds]
            let texts = try db.rows(
                "SELECT \(StoredFeedback.columns) FROM feedback WHERE team = ? AND sprintStart = ?", sprint
            ) { try StoredFeedback(&$0) }
            let number = record.state.publishedNumber
            let rewritten = texts.rewritten(publishedNumber: number, in: key, secret: secret)
            // Deletes all of them first, so that the following inserts fill the pages in order of the new ids.
            try db.change("DELETE FROM feedback WHERE team = ? AND sprintStart = ?", sprint)
            for feedback in rewritten {
                try db.insert(
                    StoredFeedback(id: feedback.id, snapshot: number, content: .plain(feedback.text)), of: key)
            }
            try db.change("DELETE FROM userSprints WHERE team = ? AND sprintStart = ?", sprint)
            try db.change(
                "DELETE FROM spentPapers WHERE team = ? AND sprintStart = ? AND snapshot > ?", sprint + [number])
            try db.change(
                "DELETE FROM commitments WHERE team = ? AND sprintStart = ? AND snapshot > ?", sprint + [number])
            for table in ["spentPapers", "commitments"] {
                try db.change(
                    "UPDATE \(table) SET snapshot = ?3 WHERE team = ?1 AND sprintStart = ?2 AND snapshot < ?3",
                    sprint + [number])
            }
            try db.change("UPDATE happiness SET isCleared = 1 WHERE team = ? AND sprintStart = ?", sprint)
            try db.countPublication(of: key.teamID)
        }
    }

    func feedback(
        of key: Sprint.Key, publishedNumber: Int, secret: BallotSecret, after: Feedback.ID?, limit: Int
    ) async throws -> [Feedback] {
        try await database.read { db in
            try db.feedback(of: key, publishedNumber: publishedNumber, after: after, limit: limit)
        }.compactMap { $0.opened(in: key, secret: secret) }
    }

    func feedback(
        teamID: Team.ID, publishedNumbers: [Date: Int], secret: BallotSecret
    ) async throws -> [Date: [Feedback]] {
        let stored = try await database.read { db in
            var texts: [Date: [StoredFeedback]] = [:]
            for (start, number) in publishedNumbers {
                texts[start] = try db.feedback(
                    of: Sprint.Key(teamID: teamID, start: start), publishedNumber: number, after: nil, limit: -1)
            }
            return texts
        }
        return stored.reduce(into: [:]) { texts, sprint in
            let key = Sprint.Key(teamID: teamID, start: sprint.key)
            texts[sprint.key] = sprint.value.compactMap { $0.opened(in: key, secret: secret) }
        }
    }

    func commitments(of key: Sprint.Key, publishedNumber: Int) async throws -> [Commitment] {
        try await database.read { db in
            try db.rows(
                "SELECT bytes FROM commitments WHERE team = ? AND sprintStart = ? AND snapshot <= ? ORDER BY bytes",
                [key.teamID.description, key.start.seconds, publishedNumber]
            ) { StoredCommitment.commitment(in: $0.bytes()) }
        }
    }

    func deleteFeedback(ofSprintsEndedBefore instant: Date) async throws {
        let sprints = try await database.read { db in
            try db.rows(
                """
                SELECT DISTINCT team, sprintStart FROM feedback JOIN happiness USING (team, sprintStart)
                WHERE isCleared AND sprintEnd < ?
                """, [instant.seconds]
            ) { Sprint.Key(teamID: try $0.parsed(), start: $0.second()) }
        }
        for key in sprints {
            try await database.write { db in
                try db.change(
                    "DELETE FROM feedback WHERE team = ? AND sprintStart = ?",
                    [key.teamID.description, key.start.seconds])
                try db.countPublication(of: key.teamID)
            }
        }
    }
}

/// Casting a batch in the transaction of the connection.
///
/// Only single rows are read, by key, so a ballot costs the same however many came before: one query and one insert for
/// each entry, and one update for each sprint of the batch.
extension Database {
    /// - Returns: the outcomes, in the order of the entries; they hold once the transaction is committed.
    func cast(_ entries: [BallotBoxEntry], at now: Date) throws -> [BallotOutcome] {
        let facts = try readFacts(about: entries)
        let decision = BallotDecision(entries, facts: facts, at: now)
        try write(decision)
        return decision.outcomes(memberCounts: facts.admission?.memberCounts ?? [:])
    }

    /// The outcome that `cast` would have; writes nothing.
    fileprivate func outcome(of request: PaperRequest, at now: Date) throws -> BallotOutcome {
        let entry = BallotBoxEntry.request(request)
        return BallotDecision([entry], facts: try readFacts(about: [entry]), at: now).outcomes(memberCounts: [:])[0]
    }

    private func readFacts(about entries: [BallotBoxEntry]) throws -> BallotDecision.Facts {
        var facts = BallotDecision.Facts(admission: BallotAdmission(), sprints: try openSprints(of: entries))
        for entry in entries {
            if let voter = entry.voter {
                try ask(about: voter, in: entry.sprint.teamID, &facts)
                for receipt in voter.sharedReceipts {
                    if try contains(receipt) { facts.receipts[receipt] = .some(nil) }
                }
            } else if let paper = entry.paper, try contains(paper) {
                facts.spentPapers.insert(paper)
            }
        }
        for teamID in Set(entries.map(\.sprint.teamID)) {
            facts.admission?.memberCounts[teamID] = try memberCount(of: teamID)
        }
        return facts
    }

    /// Looks up the session, membership and receipt in one statement.
    private func ask(
        about voter: Ballot.Voter, in teamID: Team.ID, _ facts: inout BallotDecision.Facts
    ) throws {
        let find = try cachedStatement(
            sql: """
                SELECT sessions.user, expires,
                EXISTS (SELECT 1 FROM memberships WHERE user = sessions.user AND memberships.team = ?), receipt, paper
                FROM sessions LEFT JOIN userSprints ON userSprints.team = ? AND sprintStart = ? AND receipt = ?
                WHERE sessions.id = ?
                """)
        let arguments = [teamID.description] + voter.receipt.arguments + [voter.sessionID.description]
        _ = try find.rows(arguments) { row in
            let userID = try row.parsed(as: User.ID.self)
            facts.admission?.sessions[voter.sessionID] = (userID, row.instant())
            if row.value(as: Bool.self) {
                facts.admission?.memberships.insert(BallotAdmission.Member(teamID: teamID, userID: userID))
            }
            let receipt = row.optionalBytes()
            let mark = row.optionalBytes()
            if receipt != nil { facts.receipts[voter.receipt] = .some(mark) }
        }
    }

    private func openSprints(of entries: [BallotBoxEntry]) throws -> [Sprint.Key: BallotDecision.OpenSprint] {
        var sprints: [Sprint.Key: BallotDecision.OpenSprint] = [:]
        for key in Set(entries.map(\.sprint)) {
            guard let record = try sprint(key) else { continue }
            sprints[key] = BallotDecision.OpenSprint(
                policy: record.sprint.policy, threshold: record.sprint.threshold, state: record.state)
        }
        return sprints
    }

    private func write(_ decision: BallotDecision) throws {
        for change in decision.sprintChanges {
            let before = change.before.state
            try add(change)
            try writePublication(of: change.key, from: before, to: change.after)
            if change.after.publishedNumber != before.publishedNumber {
                try countPublication(of: change.key.teamID)
            }
        }
        let insertReceipt = try cachedStatement(
            sql: "INSERT INTO userSprints (team, sprintStart, receipt, paper) VALUES (?, ?, ?, ?)")
        for new in decision.receipts {
            try insertReceipt.run(new.receipt.arguments + [new.mark.map { Data($0) }])
        }
        let insertCommitment = try cachedStatement(
            sql: "INSERT INTO commitments (team, sprintStart, bytes, snapshot) VALUES (?, ?, ?, ?)")
        for (ballot, snapshot) in decision.counted {
            let commitment = StoredCommitment(ballot.commitment, snapshot: snapshot)
            try insertCommitment.run([
                ballot.sprint.teamID.description, ballot.sprint.start.seconds, Data(commitment.bytes), snapshot,
            ])
            if case .paper(let paper) = ballot.right {
                try change(
                    """
                    INSERT INTO spentPapers (team, sprintStart, paper, snapshot, bytes, signature)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """, paper.arguments + [snapshot] + paper.signedArguments)
            }
            if let feedback = ballot.feedback {
                try insert(
                    StoredFeedback(id: .random(), snapshot: snapshot, content: .sealed(feedback)), of: ballot.sprint)
            }
        }
    }

    private func add(_ change: BallotDecision.SprintChange) throws {
        let (old, new, key) = (change.before.state.current, change.after.current, change.key)
        let distribution = zip(new.distribution, old.distribution).map { $0 - $1 }
        let added = SQLiteArguments([new.count - old.count, new.sum - old.sum] + distribution)
        let rest: SQLiteArguments = [
            change.papers.issued, change.papers.spent, Data(new.randomness.bytes), key.teamID.description,
            key.start.seconds,
        ]
        let changed = try self.change(Self.addTally, added + rest)
        guard changed == 1 else { throw SQLiteStorageError("A sprint vanished while its ballots were counted.") }
    }

    private static let addTally: String = {
        let columns = ["count", "sum"] + SprintRecord.distribution("count") + ["papersIssued", "papersSpent"]
        return "UPDATE happiness SET \(columns.map { "\($0) = \($0) + ?" }.joined(separator: ", "))"
            + ", randomness = ? WHERE team = ? AND sprintStart = ? AND isClosed = 0"
    }()
}

extension Database {
    /// Current members of the team; 0 if the team does not exist.
    func memberCount(of teamID: Team.ID) throws -> Int {
        try first("SELECT memberCount FROM teams WHERE id = ?", [teamID.description]) { $0.value() } ?? 0
    }

    /// Closes an open sprint, and destroys its ballot key.
    fileprivate func close(_ record: SprintRecord) throws {
        let key = record.sprint.key
        let sprint: SQLiteArguments = [key.teamID.description, key.start.seconds]
        let spent: [(Int, Int)] = try rows(
            "SELECT snapshot, count(*) FROM spentPapers WHERE team = ? AND sprintStart = ? GROUP BY snapshot", sprint
        ) { ($0.value(), $0.value()) }
        let closed = record.closed(
            members: try memberCount(of: key.teamID), spentPapers: Dictionary(uniqueKeysWithValues: spent))
        try writePublication(of: key, from: record.state, to: closed.state)
        try change(
            "UPDATE happiness SET isClosed = 1, eligible = ?, sealed = ? WHERE team = ? AND sprintStart = ?",
            [closed.eligible, closed.sealed] + sprint)
        try change("UPDATE ballotKeys SET privateKey = NULL WHERE team = ? AND sprintStart = ?", sprint)
        try countPublication(of: key.teamID)
    }

    /// Which of the receipts exist: one lookup by key for each.
    fileprivate func existing(among receipts: [Receipt]) throws -> Set<Receipt> {
        try receipts.reduce(into: []) { if try contains($1) { $0.insert($1) } }
    }

    /// Stores one feedback text.
    func insert(_ feedback: StoredFeedback, of key: Sprint.Key) throws {
        let (text, sealed): (String?, Data?) =
            switch feedback.content {
            case .plain(let text): (text, nil)
            case .sealed(let sealed): (nil, Data(sealed.bytes))
            }
        try change(
            "INSERT INTO feedback (team, sprintStart, id, snapshot, text, sealed) VALUES (?, ?, ?, ?, ?, ?)",
            [key.teamID.description, key.start.seconds, feedback.id.description, feedback.snapshot, text, sealed])
    }

    /// Writes the snapshot and the published state if they have changed.
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

    /// Released texts ordered by id; a negative limit means no limit.
    fileprivate func feedback(
        of key: Sprint.Key, publishedNumber: Int, after: Feedback.ID?, limit: Int
    ) throws -> [StoredFeedback] {
        try rows(
            """
            SELECT \(StoredFeedback.columns) FROM feedback WHERE team = ? AND sprintStart = ? AND id > ? AND snapshot <= ?
            ORDER BY id LIMIT ?
            """,
            [
                key.teamID.description, key.start.seconds, after?.description ?? "", publishedNumber, limit,
            ]
        ) { try StoredFeedback(&$0) }
    }

    private static func setTally(prefix: String) -> String {
        let columns = SprintRecord.tally(prefix) + ["\(prefix)Number"]
        return "UPDATE happiness SET \(columns.map { "\($0) = ?" }.joined(separator: ", ")) "
            + "WHERE team = ? AND sprintStart = ?"
    }
}

extension StoredFeedback {
    /// The columns in the order in which `init(_:)` reads them.
    fileprivate static let columns = "id, snapshot, text, sealed"

    fileprivate init(_ row: inout SQLiteRow) throws {
        let id: Feedback.ID = try row.parsed()
        let snapshot: Int = row.value()
        let text: String? = row.optional()
        let sealed = row.optionalBytes().map { SealedFeedback(stored: $0) }
        self.init(id: id, snapshot: snapshot, content: sealed.map(Content.sealed) ?? .plain(text ?? ""))
    }
}
