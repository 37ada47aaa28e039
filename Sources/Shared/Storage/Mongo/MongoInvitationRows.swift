import Domain
import Foundation
import Mongo

extension MongoRows: InvitationRows, InvitationWrites {
    func invitation(_ id: Invitation.ID) throws -> Invitation? {
        try collection(.invitations).findOne(["_id": .id(id)], in: transaction).map(Invitation.init)
    }

    func invitation(email: String, teamID: Team.ID?) throws -> Invitation? {
        let team: BSONValue = teamID.map(BSONValue.id) ?? .null
        return try collection(.invitations)
            .findOne(["foldedEmail": .string(EmailAddress.folded(email)), "team": team], in: transaction)
            .map(Invitation.init)
    }

    func invitationIDs(of teamID: Team.ID) throws -> [Invitation.ID] {
        try collection(.invitations).find(["team": .id(teamID)], projection: ["_id": 1], in: transaction)
            .map { try $0.parsed("_id") }
    }

    func invitations(email: String) throws -> [Invitation] {
        try invitations(["foldedEmail": .string(EmailAddress.folded(email))], sort: ["_id": 1])
    }

    func invitations(by inviterID: User.ID) throws -> [Invitation] {
        try invitations(["inviter": .id(inviterID)], sort: ["_id": 1])
    }

    func invitations(
        teamID: Team.ID?, inviterID: User.ID?, after: Invitation.Position?, limit: Int
    ) throws -> [Invitation] {
        guard limit > 0 else { return [] }
        var filter: BSONDocument = [:]
        filter.appendIfPresent("team", teamID.map(BSONValue.id))
        filter.appendIfPresent("inviter", inviterID.map(BSONValue.id))
        if let after {
            let email = BSONValue.string(after.email)
            filter.append(
                "$or", [["foldedEmail": ["$gt": email]], ["foldedEmail": email, "_id": ["$gt": .id(after.id)]]])
        }
        return try invitations(filter, sort: ["foldedEmail": 1, "_id": 1], limit: limit)
    }

    func deleteInvitation(_ id: Invitation.ID) throws -> Bool {
        try collection(.invitations).deleteOne(["_id": .id(id)], in: transaction) == 1
    }

    func deleteExpiredInvitations(before day: CalendarDay) throws {
        try collection(.invitations).deleteMany(["sent": ["$lt": .string(day.description)]], in: transaction)
    }

    private func invitations(_ filter: BSONDocument, sort: BSONDocument, limit: Int = 0) throws -> [Invitation] {
        try collection(.invitations).find(filter, sort: sort, limit: limit, in: transaction).map(Invitation.init)
    }
}

extension MongoRows: InvitationChanges {
    func insert(_ invitation: Invitation) throws {
        try collection(.invitations).insertOne(invitation.document, in: transaction)
    }

    func update(_ invitation: Invitation) throws {
        try update(.invitations, to: invitation.document, optional: ["inviter"])
    }
}
