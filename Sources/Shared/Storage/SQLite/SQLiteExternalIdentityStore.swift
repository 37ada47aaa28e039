import GRDB

/// External identities in the table `externalIdentities`.
struct SQLiteExternalIdentityStore: SQLiteTransactions, ExternalIdentityStore {
    let database: SQLiteDatabase

    func find(issuer: String, subject: String) async throws -> ExternalIdentity? {
        try await database.read { db in
            try db.first(
                "SELECT user FROM externalIdentities WHERE issuer = ? AND subject = ?", [issuer, subject]
            ) { ExternalIdentity(issuer: issuer, subject: subject, userID: try $0.parsed()) }
        }
    }

    func list(userID: User.ID) async throws -> [ExternalIdentity] {
        try await database.read { db in
            try db.rows(
                "SELECT issuer, subject FROM externalIdentities WHERE user = ? ORDER BY issuer, subject",
                [userID.description]
            ) { ExternalIdentity(issuer: $0.value(), subject: $0.value(), userID: userID) }
        }
    }

}

extension Database: ExternalIdentityRows {
    func contains(_ identity: ExternalIdentity) throws -> Bool {
        try contains(
            "SELECT 1 FROM externalIdentities WHERE issuer = ? AND subject = ?", [identity.issuer, identity.subject])
    }

    func insert(_ identity: ExternalIdentity) throws {
        try change(
            "INSERT INTO externalIdentities (issuer, subject, user) VALUES (?, ?, ?)",
            [identity.issuer, identity.subject, identity.userID.description])
    }
}
