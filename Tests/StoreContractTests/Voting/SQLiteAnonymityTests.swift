import Domain
import Foundation
import GRDB
import Services
import Storage
import Synchronization
import TestSupport
import Testing

/// The data that an attacker with the file, but without `BALLOT_SECRET`, can read.
@Suite struct SQLiteAnonymityTests {
    @Test func `No table keeps an order of arrival`() async throws {
        try await SQLiteFile.with { file in
            // A table without rowid has no such column, so querying it is an error.
            let tables = try await file.texts("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL")
            #expect(tables.contains("userSprints") && tables.contains("happiness") && tables.contains("feedback"))
            for table in tables where !table.hasPrefix("grdb_") {
                await #expect(throws: DatabaseError.self, "\(table)") {
                    try await file.texts("SELECT rowid FROM \(table)")
                }
            }
        }
    }

    @Test func `Ballot tables have no name and no time but the sprint's`() async throws {
        try await SQLiteFile.with { file in
            func columns(_ table: String) async throws -> [String] {
                try await file.texts("SELECT name FROM pragma_table_info('\(table)') ORDER BY cid")
            }
            #expect(try await columns("userSprints") == ["team", "sprintStart", "receipt", "isCounted", "paper"])
            #expect(
                try await columns("spentPapers") == ["team", "sprintStart", "paper", "snapshot", "bytes", "signature"])
            #expect(try await columns("commitments") == ["team", "sprintStart", "bytes", "snapshot"])
            #expect(try await columns("feedback") == ["team", "sprintStart", "id", "snapshot", "text", "sealed"])
            let counters = ["count", "snapshot", "published"].flatMap { prefix in (0...10).map { "\(prefix)\($0)" } }
            let rest = try await columns("happiness").filter { !counters.contains($0) }
            #expect(
                rest == [
                    "team", "sprintStart", "sprintEnd", "closes", "labelYear", "labelNumber", "labelSuffix",
                    "threshold", "policy", "feedbackReaders", "count", "sum", "snapshotCount", "snapshotSum",
                    "snapshotNumber", "publishedCount", "publishedSum", "publishedNumber", "isClosed", "eligible",
                    "joined", "raisedFrom", "raisedAtCount", "isRaiseSpent", "isCleared",
                    "papersIssued", "papersSpent", "sealed", "ballots", "randomness", "snapshotRandomness",
                    "publishedRandomness", "isImported",
                ])
        }
    }

    /// The account keeps the day on which an administrator has set its address.
    @Test func `A dump does not tell whether a person whose address has changed had voted`() async throws {
        try await SQLiteFile.with { file in
            let team = try await file.stores.makeTeam()
            let sprint = try await file.stores.makeSprint(of: team)
            let voters = try await file.stores.makeVoters(2, in: team)
            _ = try await file.stores.cast([try voters[0].ballot(in: sprint)])
            let query = "SELECT isCounted || ' ' || length(receipt) || ' ' || (paper IS NULL) FROM userSprints"
            for (number, voter) in voters.enumerated() {
                let email = UserUpdate.NewEmail("new\(number)@example.org", secret: Voter.secret)
                try await file.stores.update(id: voter.user.id, UserUpdate(email: email))
                let receipts = try await file.texts(query)
                #expect(receipts.sorted() == Array(repeating: "0 32 1", count: number + 1) + ["1 32 1"])
            }
            // The one who had not voted still can.
            #expect(try await file.stores.cast([try voters[1].ballot(in: sprint)])[0].isCounted)
            #expect(try await file.stores.system.check().isEmpty)
        }
    }

    @Test func `A dump of receipts names nobody, and storage order says nothing`() async throws {
        try await SQLiteFile.with { file in
            let team = try await file.stores.makeTeam()
            let sprint = try await file.stores.makeSprint(of: team)
            let voters = try await file.stores.makeVoters(40, in: team)
            for (number, voter) in voters.enumerated() {
                _ = try await file.stores.cast([voter.ballot(in: sprint, feedback: "text \(number)")])
            }
            let dump = try await file.texts("SELECT hex(receipt) || '|' || team || '|' || sprintStart FROM userSprints")
            #expect(dump.count == 40)
            for voter in voters {
                let names = [voter.user.id.description, voter.session.id.description, voter.user.name]
                #expect(!dump.contains { row in names.contains { row.lowercased().contains($0) } })
            }
            let arrival = voters.map { $0.receipt(in: sprint).bytes.hexadecimal }
            let stored = dump.map { String($0.prefix(64)).lowercased() }
            #expect(stored == arrival.sorted())
            // Only readable with the secret, and all of the same length.
            #expect(try await file.texts("SELECT id FROM feedback WHERE text IS NOT NULL").isEmpty)
            let lengths = try await file.texts("SELECT DISTINCT length(sealed) || '' FROM feedback")
            #expect(lengths == ["540"])
        }
    }

    @Test func `A ballot leaves no trace besides receipt, tally and feedback`() async throws {
        try await SQLiteFile.with { file in
            let team = try await file.stores.makeTeam()
            let sprint = try await file.stores.makeSprint(of: team)
            let voter = try await file.stores.makeVoters(1, in: team)[0]
            func others() async throws -> [String] {
                try await file.texts(
                    """
                    SELECT id || lastUsed || expires || generation FROM sessions
                    UNION ALL SELECT user || team || role FROM memberships
                    UNION ALL SELECT id || name || email FROM users
                    UNION ALL SELECT id || memberCount || publicationNumber FROM teams
                    UNION ALL SELECT id FROM jobs
                    """)
            }
            let before = try await others()
            _ = try await file.stores.cast([voter.ballot(in: sprint, feedback: "text")])
            #expect(try await others() == before)
        }
    }

    @Test func `The receipts of a cleared sprint are gone from the file`() async throws {
        try await SQLiteFile.with { file in
            let team = try await file.stores.makeTeam()
            let sprint = try await file.stores.makeSprint(of: team)
            let voters = try await file.stores.makeVoters(20, in: team)
            _ = try await file.stores.cast(try voters.map { try $0.ballot(in: sprint) })
            let receipt = voters[7].receipt(in: sprint)
            #expect(try await file.bytes().range(of: Data(receipt.bytes)) != nil)
            #expect(try await file.stores.ballots.close(sprint.key))
            try await file.stores.ballots.clear(sprint.key, secret: Voter.secret)
            #expect(try await file.bytes().range(of: Data(receipt.bytes)) == nil)
        }
    }
}

@Suite struct SQLiteBallotCostTests {
    @Test func `A batch runs the same statements after two thousand ballots`() async throws {
        try await SQLiteFile.with { file in
            let team = try await file.stores.makeTeam()
            let sprint = try await file.stores.makeSprint(of: team, policy: .close)
            let voter = try await file.stores.makeVoters(1, in: team)[0]
            // One member with many receipts: the store cannot check the content of a receipt.
            let ballots = try (0..<2_064).map { _ in
                Ballot(
                    voter: Ballot.Voter(
                        sessionID: voter.session.id, userID: voter.user.id,
                        receipt: Receipt(secret: Voter.secret, sprint: sprint.key, userID: .random())),
                    sprint: sprint.key, happiness: try Happiness(tenths: 70), feedback: nil)
            }
            let first = try await file.statements { _ = try await file.stores.cast(Array(ballots[0..<32])) }
            _ = try await file.stores.cast(Array(ballots[32..<2_032]))
            let last = try await file.statements { _ = try await file.stores.cast(Array(ballots[2_032..<2_064])) }
            #expect(first == last)
            // Three per ballot, and a handful per batch.
            #expect(first.count < 32 * 3 + 10)
            #expect(try await file.stores.record(of: sprint).state.current.count == 2_064)

            for sql in Set(last) where !sql.hasPrefix("BEGIN") && !sql.hasPrefix("COMMIT") {
                let plan = try await file.onWriter { db in
                    let statement = try db.makeStatement(sql: "EXPLAIN QUERY PLAN \(sql)")
                    // The plan does not depend on values: unbound, they are NULL.
                    statement.setUncheckedArguments([])
                    return try Row.fetchAll(statement).map { $0["detail"] as String }
                }
                #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(sql): \(plan)")
            }
        }
    }
}

extension SQLiteFile {
    /// The statements that the writer runs during `body`.
    fileprivate func statements(during body: () async throws -> Void) async throws -> [String] {
        let log = StatementLog()
        try await onWriter { db in
            db.trace { event in
                if case .statement(let statement) = event { log.append(statement.sql) }
            }
        }
        try await body()
        try await onWriter { $0.trace(options: []) }
        return log.statements
    }
}

/// Collects across threads.
private final class StatementLog: Sendable {
    private let list = Mutex<[String]>([])

    var statements: [String] { list.withLock { $0 } }

    func append(_ statement: String) {
        list.withLock { $0.append(statement) }
    }
}
