import GRDB

/// External identities in the table `externalIdentities`.
struct SQLiteExternalIdentityStore: ExternalIdentityStore {
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

    func insert(_ identity: ExternalIdentity, enqueueing job: Job?) async throws {
        try await database.write { db in
            guard try db.contains("SELECT 1 FROM users WHERE id = ?", [identity.userID.description]) else {
                throw AppError.noSuchUser
            }
            let inserted = try db.change(
                "INSERT OR IGNORE INTO externalIdentities (issuer, subject, user) VALUES (?, ?, ?)",
                [identity.issuer, identity.subject, identity.userID.description])
            guard inserted == 1 else { throw AppError.identityTaken }
            if let job { _ = try db.enqueue(job) }
        }
    }
}
