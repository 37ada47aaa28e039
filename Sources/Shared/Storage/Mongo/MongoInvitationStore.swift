import Mongo

/// `InvitationStore` on the collection `invitations`.
struct MongoInvitationStore: InvitationStore {
    let connection: MongoConnection

    func insert(_ invitation: Invitation) async throws {
        try await connection.run { database in
            let invitations = database.collection(.invitations)
            let document = invitation.document
            do {
                try invitations.insertOne(document)
            } catch let error as MongoError where error.kind == .duplicateKey {
                let earlier = try invitations.findOne(["foldedEmail": .string(document.text("foldedEmail"))])
                guard earlier != nil else { throw error }
                throw AppError.alreadyInvited
            }
        }
    }

    func find(id: Invitation.ID) async throws -> Invitation? {
        try await connection.run { try $0.collection(.invitations).findOne(["_id": .id(id)]).map(Invitation.init) }
    }

    func find(email: String) async throws -> Invitation? {
        try await connection.run { database in
            try database.collection(.invitations)
                .findOne(["foldedEmail": .string(EmailAddress.folded(email))])
                .map(Invitation.init)
        }
    }

    func list(teamID: Team.ID?, after: String?, limit: Int) async throws -> [Invitation] {
        guard limit > 0 else { return [] }
        var filter: BSONDocument = [:]
        filter.appendIfPresent("team", teamID.map(BSONValue.id))
        filter.appendIfPresent("foldedEmail", after.map { ["$gt": .string($0)] })
        let chosen = filter
        return try await connection.run { database in
            try database.collection(.invitations)
                .find(chosen, sort: ["foldedEmail": 1], limit: limit)
                .map(Invitation.init)
        }
    }

    func setSent(id: Invitation.ID, _ day: CalendarDay) async throws {
        let result = try await connection.run { database in
            try database.collection(.invitations).updateOne(
                ["_id": .id(id)], ["$set": ["sent": .string(day.description)]])
        }
        guard result.matched == 1 else { throw AppError.noSuchInvitation }
    }

    func delete(id: Invitation.ID) async throws -> Bool {
        try await connection.run { try $0.collection(.invitations).deleteOne(["_id": .id(id)]) == 1 }
    }
}
