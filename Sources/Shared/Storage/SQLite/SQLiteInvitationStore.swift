import GRDB

/// Pending invitations in the table `invitations`.
struct SQLiteInvitationStore: InvitationStore {
    let database: SQLiteDatabase

    func insert(_ invitation: Invitation) async throws {
        let emailFolded = EmailAddress.folded(invitation.email)
        try await database.write { db in
            guard try !db.contains("SELECT 1 FROM invitations WHERE emailFolded = ?", [emailFolded]) else {
                throw AppError.alreadyInvited
            }
            try db.change(
                """
                INSERT INTO invitations (id, email, emailFolded, role, team, teamRole, locale, sent)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    invitation.id.description, invitation.email, emailFolded, invitation.role.rawValue,
                    invitation.teamID?.description, invitation.teamRole.rawValue, invitation.locale,
                    invitation.sent.description,
                ])
        }
    }

    func find(id: Invitation.ID) async throws -> Invitation? {
        try await database.read { db in
            try db.first("SELECT \(Invitation.columns) FROM invitations WHERE id = ?", [id.description]) {
                try Invitation(&$0)
            }
        }
    }

    func find(email: String) async throws -> Invitation? {
        try await database.read { db in
            try db.first(
                "SELECT \(Invitation.columns) FROM invitations WHERE emailFolded = ?", [EmailAddress.folded(email)]
            ) { try Invitation(&$0) }
        }
    }

    func list(teamID: Team.ID?, after: String?, limit: Int) async throws -> [Invitation] {
        let (condition, team): (String, StatementArguments) =
            teamID.map { ("team = ? AND", [$0.description]) } ?? ("", [])
        return try await database.read { db in
            try db.rows(
                """
                SELECT \(Invitation.columns) FROM invitations WHERE \(condition) emailFolded > ?
                ORDER BY emailFolded LIMIT ?
                """,
                team + [after ?? "", limit]
            ) { try Invitation(&$0) }
        }
    }

    func setSent(id: Invitation.ID, _ day: CalendarDay) async throws {
        try await database.write { db in
            let changed = try db.change(
                "UPDATE invitations SET sent = ? WHERE id = ?", [day.description, id.description])
            guard changed == 1 else { throw AppError.noSuchInvitation }
        }
    }

    func delete(id: Invitation.ID) async throws -> Bool {
        try await database.write { db in
            try db.change("DELETE FROM invitations WHERE id = ?", [id.description]) == 1
        }
    }
}

extension Invitation {
    /// The columns `init(_:)` reads, in its order.
    fileprivate static let columns = "id, email, role, team, teamRole, locale, sent"

    fileprivate init(_ row: inout SQLiteRow) throws {
        self.init(
            id: try row.parsed(), email: row.value(), role: try row.named(), teamID: try row.optionalParsed(),
            teamRole: try row.named(), locale: row.value(), sent: try row.parsed())
    }
}
