import Foundation
import GRDB

/// Pending invitations in the table `invitations`.
struct SQLiteInvitationStore: InvitationStore {
    let database: SQLiteDatabase

    func insert(_ invitation: Invitation) async throws {
        let emailFolded = EmailAddress.folded(invitation.email)
        let team = invitation.teamID?.description
        try await database.write { db in
            guard
                try !db.contains("SELECT 1 FROM invitations WHERE emailFolded = ? AND team IS ?", [emailFolded, team])
            else { throw AppError.alreadyInvited }
            try db.change(
                """
                INSERT INTO invitations (id, email, emailFolded, role, team, teamRole, locale, inviter, sent)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    invitation.id.description, invitation.email, emailFolded, invitation.role.rawValue, team,
                    invitation.teamRole.rawValue, invitation.locale, invitation.inviterID?.description,
                    invitation.sent.description,
                ])
        }
    }

    func find(id: Invitation.ID) async throws -> Invitation? {
        try await database.read { try $0.invitation(id: id.description) }
    }

    func list(email: String) async throws -> [Invitation] {
        try await list(where: "emailFolded = ?", [EmailAddress.folded(email)])
    }

    func list(inviterID: User.ID) async throws -> [Invitation] {
        try await list(where: "inviter = ?", [inviterID.description])
    }

    func list(
        teamID: Team.ID?, inviterID: User.ID?, after: Invitation.Position?, limit: Int
    ) async throws -> [Invitation] {
        let ids = [("team", teamID?.description), ("inviter", inviterID?.description)].filter { $0.1 != nil }
        let condition = ids.map { "\($0.0) = ? AND " }.joined()
        return try await database.read { db in
            try db.rows(
                """
                SELECT \(Invitation.columns) FROM invitations WHERE \(condition)(emailFolded, id) > (?, ?)
                ORDER BY emailFolded, id LIMIT ?
                """,
                SQLiteArguments(ids.map(\.1)) + [after?.email ?? "", after?.id.description ?? "", limit]
            ) { try Invitation(&$0) }
        }
    }

    func setSent(id: Invitation.ID, _ day: CalendarDay, by inviterID: User.ID?) async throws {
        try await database.write { db in
            let changed = try db.change(
                "UPDATE invitations SET sent = ?, inviter = ? WHERE id = ?",
                [day.description, inviterID?.description, id.description])
            guard changed == 1 else { throw AppError.noSuchInvitation }
        }
    }

    func delete(id: Invitation.ID) async throws -> Bool {
        try await database.write { db in
            try db.change("DELETE FROM invitations WHERE id = ?", [id.description]) == 1
        }
    }

    func deleteExpired(before day: CalendarDay) async throws {
        try await database.write { try $0.change("DELETE FROM invitations WHERE sent < ?", [day.description]) }
    }

    func accept(
        tokenHash: [UInt8], newcomer: InvitedNewcomer?, secret: BallotSecret, at now: Date
    ) async throws -> AcceptedInvitation {
        try await database.write { db in
            guard let token = try db.token(hash: tokenHash, purpose: .invitation, at: now),
                let invitation = try db.invitation(id: token.subject)
            else { throw AppError.linkExpired }
            let accepted = try db.facts(of: invitation).acceptance(with: token, newcomer: newcomer, at: now)
            try db.deleteTokens(purpose: .invitation, subject: token.subject)
            try db.change("DELETE FROM invitations WHERE id = ?", [token.subject])
            if accepted.isNewAccount { try db.insert(accepted.user) }
            if let teamID = accepted.teamID {
                try db.add(
                    Membership(teamID: teamID, userID: accepted.user.id, role: invitation.teamRole), secret: secret)
            }
            return AcceptedInvitation(
                user: try db.user(id: accepted.user.id.description) ?? accepted.user,
                isNewAccount: accepted.isNewAccount, teamID: accepted.teamID)
        }
    }

    private func list(where condition: String, _ arguments: SQLiteArguments) async throws -> [Invitation] {
        try await database.read { db in
            try db.rows(
                "SELECT \(Invitation.columns) FROM invitations WHERE \(condition) ORDER BY id", arguments
            ) { try Invitation(&$0) }
        }
    }
}

extension Database {
    fileprivate func invitation(id: String) throws -> Invitation? {
        try first("SELECT \(Invitation.columns) FROM invitations WHERE id = ?", [id]) { try Invitation(&$0) }
    }

    fileprivate func facts(of invitation: Invitation) throws -> InvitationFacts {
        let team = invitation.teamID?.description
        let inviter = try user(id: invitation.inviterID?.description)
        let account = try user(emailFolded: EmailAddress.folded(invitation.email))
        return InvitationFacts(
            invitation: invitation, inviter: inviter, inviterRole: try role(of: inviter?.id.description, in: team),
            team: try self.team(id: team), hasPast: try hasPast(team), account: account,
            isMember: try role(of: account?.id.description, in: team) != nil)
    }
}

extension Invitation {
    /// The columns in the order in which `init(_:)` reads them.
    fileprivate static let columns = "id, email, role, team, teamRole, locale, inviter, sent"

    fileprivate init(_ row: inout SQLiteRow) throws {
        self.init(
            id: try row.parsed(), email: row.value(), role: try row.named(), teamID: try row.optionalParsed(),
            teamRole: try row.named(), locale: row.value(), inviterID: try row.optionalParsed(),
            sent: try row.parsed())
    }
}
