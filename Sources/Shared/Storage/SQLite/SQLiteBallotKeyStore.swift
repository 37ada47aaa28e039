import Domain
import Foundation
import GRDB

/// Ballot keys in the table `ballotKeys`, and spent papers in `spentPapers`.
struct SQLiteBallotKeyStore: BallotKeyStore {
    let database: SQLiteDatabase

    func key(of sprint: Sprint.Key) async throws -> StoredBallotKey? {
        try await database.read { try $0.ballotKey(of: sprint) }
    }

    func key(id: BallotKey.ID) async throws -> StoredBallotKey? {
        try await database.read { db in
            try db.first("SELECT \(StoredBallotKey.columns) FROM ballotKeys WHERE id = ?", [Data(id.bytes)]) {
                try StoredBallotKey(&$0)
            }
        }
    }

    func insert(_ stored: StoredBallotKey) async throws -> StoredBallotKey? {
        let sprint = stored.key.sprint
        return try await database.write { db in
            if let present = try db.ballotKey(of: sprint) { return present }
            guard let record = try db.sprint(sprint), !record.state.isClosed else { return nil }
            try db.change(
                "INSERT INTO ballotKeys (id, team, sprintStart, publicKey, privateKey) VALUES (?, ?, ?, ?, ?)",
                [
                    Data(stored.key.id.bytes), sprint.teamID.description, sprint.start.seconds,
                    Data(stored.key.publicKey), stored.wrappedPrivateKey.map { Data($0) },
                ])
            return stored
        }
    }

    func takesKey(_ sprint: Sprint.Key) async throws -> Bool {
        try await database.read { db in try db.sprint(sprint).map { !$0.state.isClosed } ?? false }
    }

    func isSpent(_ paper: SpentPaper) async throws -> Bool {
        try await database.read { try $0.contains(paper) }
    }

    func spentPapers(of sprint: Sprint.Key, publishedNumber: Int) async throws -> [SpentPaper] {
        try await database.read { db in
            try db.rows(
                """
                SELECT paper, bytes, signature FROM spentPapers WHERE team = ? AND sprintStart = ? AND snapshot <= ?
                ORDER BY paper
                """, [sprint.teamID.description, sprint.start.seconds, publishedNumber]
            ) { SpentPaper(&$0, sprint: sprint) }
        }
    }
}

extension Database {
    /// Whether the paper has been used: one lookup by key.
    func contains(_ paper: SpentPaper) throws -> Bool {
        try contains("SELECT 1 FROM spentPapers WHERE team = ? AND sprintStart = ? AND paper = ?", paper.arguments)
    }

    fileprivate func ballotKey(of sprint: Sprint.Key) throws -> StoredBallotKey? {
        try first(
            "SELECT \(StoredBallotKey.columns) FROM ballotKeys WHERE team = ? AND sprintStart = ?",
            [sprint.teamID.description, sprint.start.seconds]
        ) { try StoredBallotKey(&$0) }
    }
}

extension SpentPaper {
    /// The key in `spentPapers`: team, start, and the hash, which is in the column `paper`.
    var arguments: SQLiteArguments {
        [sprint.teamID.description, sprint.start.seconds, Data(hash)]
    }

    /// The columns `bytes` and `signature`.
    var signedArguments: SQLiteArguments {
        [signed.map { Data($0.paper.bytes) }, signed.map { Data($0.signature) }]
    }

    /// Reads the columns `paper`, `bytes` and `signature`.
    fileprivate init(_ row: inout SQLiteRow, sprint: Sprint.Key) {
        let hash = row.bytes()
        let paper = row.optionalBytes().flatMap { BallotPaper(bytes: $0) }
        let signature = row.optionalBytes()
        self.init(
            stored: hash,
            signed: paper.flatMap { paper in signature.map { SignedPaper(paper, signature: $0) } },
            sprint: sprint)
    }
}

extension StoredBallotKey {
    /// The columns in the order in which `init(_:)` reads them.
    fileprivate static let columns = "team, sprintStart, publicKey, privateKey"

    fileprivate init(_ row: inout SQLiteRow) throws {
        let sprint = Sprint.Key(teamID: try row.parsed(), start: row.second())
        self.init(key: BallotKey(sprint: sprint, publicKey: row.bytes()), wrappedPrivateKey: row.optionalBytes())
    }
}
