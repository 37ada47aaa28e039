import Domain
import Foundation
import GRDB

extension Database: InvitationRows, InvitationWrites {
    func invitation(_ id: Invitation.ID) throws -> Invitation? {
        try first("SELECT \(Invitation.columns) FROM invitations WHERE id = ?", [id.description]) {
            try Invitation(&$0)
        }
    }

    func invitation(email: String, teamID: Team.ID?) throws -> Invitation? {
        try first(
            "SELECT \(Invitation.columns) FROM invitations WHERE foldedEmail = ? AND team IS ?",
            [EmailAddress.folded(email), teamID?.description]
        ) { try Invitation(&$0) }
    }

    func invitationIDs(of teamID: Team.ID) throws -> [Invitation.ID] {
        try rows("SELECT id FROM invitations WHERE team = ?", [teamID.description]) { try $0.parsed() }
    }

    func invitations(email: String) throws -> [Invitation] {
        try invitations(where: "foldedEmail = ?", [EmailAddress.folded(email)])
    }

    func invitations(by inviterID: User.ID) throws -> [Invitation] {
        try invitations(where: "inviter = ?", [inviterID.description])
    }

    func invitations(
        teamID: Team.ID?, inviterID: User.ID?, after: Invitation.Position?, limit: Int
    ) throws -> [Invitation] {
        let ids = [("team", teamID?.description), ("inviter", inviterID?.description)].filter { $0.1 != nil }
        let condition = ids.map { "\($0.0) = ? AND " }.joined()
        return try rows(
            """
            SELECT \(Invitation.columns) FROM invitations WHERE \(condition)(foldedEmail, id) > (?, ?)
            ORDER BY foldedEmail, id LIMIT ?
            """,
            SQLiteArguments(ids.map(\.1)) + [after?.email ?? "", after?.id.description ?? "", limit]
        ) { try Invitation(&$0) }
    }

    func deleteInvitation(_ id: Invitation.ID) throws -> Bool {
        try change("DELETE FROM invitations WHERE id = ?", [id.description]) == 1
    }

    func deleteExpiredInvitations(before day: CalendarDay) throws {
        try change("DELETE FROM invitations WHERE sent < ?", [day.description])
    }

    private func invitations(where condition: String, _ arguments: SQLiteArguments) throws -> [Invitation] {
        try rows(
            "SELECT \(Invitation.columns) FROM invitations WHERE \(condition) ORDER BY id", arguments
        ) { try Invitation(&$0) }
    }
}

extension Database: InvitationChanges {
    func insert(_ invitation: Invitation) throws {
        try change(
            "INSERT INTO invitations (\(Invitation.columns), foldedEmail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                invitation.id.description, invitation.email, invitation.role.rawValue, invitation.teamID?.description,
                invitation.teamRole.rawValue, invitation.locale, invitation.inviterID?.description,
                invitation.sent.description, EmailAddress.folded(invitation.email),
            ])
    }

    func update(_ invitation: Invitation) throws {
        try change(
            "UPDATE invitations SET sent = ?, inviter = ? WHERE id = ?",
            [invitation.sent.description, invitation.inviterID?.description, invitation.id.description])
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
