import Foundation
import GRDB

/// Casting a batch of ballots in the transaction of the connection.
///
/// Only single rows are read, by key, so a ballot costs the same however many came before: one question and one insert for
/// each ballot, and one update for each sprint of the batch.
extension Database {
    /// - Returns: the outcomes, in the order of the ballots; they hold once the transaction is committed.
    func cast(_ ballots: [Ballot], at now: Date) throws -> [BallotOutcome] {
        var admission = BallotAdmission()
        var receipts: Set<Receipt> = []
        for ballot in ballots {
            try ask(about: ballot, admission: &admission, receipts: &receipts)
        }
        for teamID in Set(ballots.map(\.sprint.teamID)) {
            admission.memberCounts[teamID] = try memberCount(of: teamID)
        }
        let facts = BallotDecision.Facts(
            admission: admission, sprints: try openSprints(of: ballots), receipts: receipts)
        let decision = BallotDecision(ballots, facts: facts, at: now)
        try write(decision)
        return decision.outcomes(memberCounts: admission.memberCounts)
    }

    /// Looks up the ballot's session, membership and receipt in one statement.
    private func ask(
        about ballot: Ballot, admission: inout BallotAdmission, receipts: inout Set<Receipt>
    ) throws {
        let find = try cachedStatement(
            sql: """
                SELECT user, expires, EXISTS (SELECT 1 FROM memberships WHERE user = sessions.user AND team = ?),
                EXISTS (SELECT 1 FROM userSprints WHERE team = ? AND sprintStart = ? AND receipt = ?)
                FROM sessions WHERE id = ?
                """)
        let teamID = ballot.sprint.teamID
        _ = try find.rows([teamID.description] + ballot.receipt.arguments + [ballot.sessionID.description]) { row in
            let userID = try row.parsed(as: User.ID.self)
            admission.sessions[ballot.sessionID] = (userID, row.instant())
            if row.value(as: Bool.self) {
                admission.memberships.insert(BallotAdmission.Member(teamID: teamID, userID: userID))
            }
            if row.value(as: Bool.self) { receipts.insert(ballot.receipt) }
        }
    }

    private func openSprints(of ballots: [Ballot]) throws -> [Sprint.Key: BallotDecision.OpenSprint] {
        var sprints: [Sprint.Key: BallotDecision.OpenSprint] = [:]
        for key in Set(ballots.map(\.sprint)) {
            guard let record = try sprint(key) else { continue }
            sprints[key] = BallotDecision.OpenSprint(
                policy: record.sprint.policy, threshold: record.sprint.threshold, state: record.state)
        }
        return sprints
    }

    private func write(_ decision: BallotDecision) throws {
        for change in decision.sprintChanges {
            let before = change.before.state
            try add(change.after.current, minus: before.current, to: change.key)
            try writePublication(of: change.key, from: before, to: change.after)
            if change.after.publishedNumber != before.publishedNumber {
                try countPublication(of: change.key.teamID)
            }
        }
        let insertReceipt = try cachedStatement(
            sql: "INSERT INTO userSprints (team, sprintStart, receipt) VALUES (?, ?, ?)")
        for (ballot, snapshot) in decision.counted {
            try insertReceipt.run(ballot.receipt.arguments)
            if let feedback = ballot.feedback {
                try insert(
                    StoredFeedback(id: .random(), snapshot: snapshot, content: .sealed(feedback)), of: ballot.sprint)
            }
        }
    }

    private func add(_ new: Tally, minus old: Tally, to key: Sprint.Key) throws {
        let distribution = zip(new.distribution, old.distribution).map { $0 - $1 }
        let added = Tally(count: new.count - old.count, sum: new.sum - old.sum, distribution: distribution)
        let changed = try change(
            Self.addTally, added.arguments + [key.teamID.description, key.start.seconds])
        guard changed == 1 else { throw SQLiteStorageError("A sprint vanished while its ballots were counted.") }
    }

    private static let addTally: String = {
        let columns = ["count", "sum"] + SprintRecord.distribution("count")
        return "UPDATE happiness SET \(columns.map { "\($0) = \($0) + ?" }.joined(separator: ", ")) "
            + "WHERE team = ? AND sprintStart = ? AND isClosed = 0"
    }()
}
