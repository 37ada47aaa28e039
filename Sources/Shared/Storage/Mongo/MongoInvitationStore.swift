import Foundation
import Mongo

/// `InvitationStore` on the collection `invitations`.
struct MongoInvitationStore: MongoTransactions, InvitationStore {
    let connection: MongoConnection

    func find(id: Invitation.ID) async throws -> Invitation? {
        try await connection.run { try $0.collection(.invitations).findOne(["_id": .id(id)]).map(Invitation.init) }
    }

    func list(email: String) async throws -> [Invitation] {
        try await list(["foldedEmail": .string(EmailAddress.folded(email))], sort: ["_id": 1])
    }

    func list(inviterID: User.ID) async throws -> [Invitation] {
        try await list(["inviter": .id(inviterID)], sort: ["_id": 1])
    }

    func list(
        teamID: Team.ID?, inviterID: User.ID?, after: Invitation.Position?, limit: Int
    ) async throws -> [Invitation] {
        guard limit > 0 else { return [] }
        var filter: BSONDocument = [:]
        filter.appendIfPresent("team", teamID.map(BSONValue.id))
        filter.appendIfPresent("inviter", inviterID.map(BSONValue.id))
        if let after {
            let email = BSONValue.string(after.email)
            filter.append(
                "$or", [["foldedEmail": ["$gt": email]], ["foldedEmail": email, "_id": ["$gt": .id(after.id)]]])
        }
        return try await list(filter, sort: ["foldedEmail": 1, "_id": 1], limit: limit)
    }

    func delete(id: Invitation.ID) async throws -> Bool {
        try await connection.run { try $0.collection(.invitations).deleteOne(["_id": .id(id)]) == 1 }
    }

    func deleteExpired(before day: CalendarDay) async throws {
        try await connection.run { database in
            _ = try database.collection(.invitations).deleteMany(["sent": ["$lt": .string(day.description)]])
        }
    }

    private func list(_ filter: BSONDocument, sort: BSONDocument, limit: Int = 0) async throws -> [Invitation] {
        try await connection.run { database in
            try database.collection(.invitations).find(filter, sort: sort, limit: limit).map(Invitation.init)
        }
    }
}

extension MongoRows: InvitationRows {
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

    func insert(_ invitation: Invitation) throws {
        try collection(.invitations).insertOne(invitation.document, in: transaction)
    }

    func update(_ invitation: Invitation) throws {
        try update(.invitations, to: invitation.document, optional: ["inviter"])
    }

    func delete(_ invitation: Invitation) throws {
        try collection(.invitations).deleteOne(["_id": .id(invitation.id)], in: transaction)
    }
}
