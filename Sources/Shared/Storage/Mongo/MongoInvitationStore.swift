import Foundation
import Mongo

/// `InvitationStore` on the collection `invitations`.
struct MongoInvitationStore: InvitationStore {
    let connection: MongoConnection

    func insert(_ invitation: Invitation) async throws {
        let team: BSONValue = invitation.teamID.map(BSONValue.id) ?? .null
        try await connection.run { database in
            let invitations = database.collection(.invitations)
            let document = invitation.document
            do {
                try invitations.insertOne(document)
            } catch let error as MongoError where error.kind == .duplicateKey {
                let earlier = try invitations.findOne([
                    "foldedEmail": .string(document.text("foldedEmail")), "team": team,
                ])
                guard earlier != nil else { throw error }
                throw AppError.alreadyInvited
            }
        }
    }

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

    func setSent(id: Invitation.ID, _ day: CalendarDay, by inviterID: User.ID?) async throws {
        let sent: BSONValue = ["sent": .string(day.description)]
        let update: BSONDocument =
            inviterID.map { ["$set": ["sent": .string(day.description), "inviter": .id($0)]] }
            ?? ["$set": sent, "$unset": ["inviter": ""]]
        let result = try await connection.run { try $0.collection(.invitations).updateOne(["_id": .id(id)], update) }
        guard result.matched == 1 else { throw AppError.noSuchInvitation }
    }

    func delete(id: Invitation.ID) async throws -> Bool {
        try await connection.run { try $0.collection(.invitations).deleteOne(["_id": .id(id)]) == 1 }
    }

    func deleteExpired(before day: CalendarDay) async throws {
        try await connection.run { database in
            _ = try database.collection(.invitations).deleteMany(["sent": ["$lt": .string(day.description)]])
        }
    }

    func accept(
        tokenHash: [UInt8], newcomer: InvitedNewcomer?, secret: BallotSecret, at now: Date
    ) async throws -> AcceptedInvitation {
        try await connection.run { database in
            func accept() throws -> AcceptedInvitation {
                try database.boundedTransaction { transaction in
                    try database.accept(
                        tokenHash: tokenHash, newcomer: newcomer, secret: secret, at: now, in: transaction)
                }
            }
            do {
                return try accept()
            } catch let error as MongoError where error.kind == .duplicateKey {
                // An account with this name or address was created in the meantime. The next attempt shows which it
                // was.
                return try accept()
            }
        }
    }

    private func list(_ filter: BSONDocument, sort: BSONDocument, limit: Int = 0) async throws -> [Invitation] {
        try await connection.run { database in
            try database.collection(.invitations).find(filter, sort: sort, limit: limit).map(Invitation.init)
        }
    }
}

extension MongoDatabase {
    fileprivate func accept(
        tokenHash: [UInt8], newcomer: InvitedNewcomer?, secret: BallotSecret, at now: Date,
        in transaction: MongoTransaction
    ) throws -> AcceptedInvitation {
        let tokens = collection(.oneTimeTokens)
        let counting = MongoOneTimeTokenStore.unexpired(tokenHash, .invitation, at: now)
        guard let token = try tokens.findOne(counting, in: transaction).map(OneTimeToken.init),
            let invitation = try collection(.invitations)
                .findOne(["_id": .string(token.subject)], in: transaction).map(Invitation.init)
        else { throw AppError.linkExpired }
        let accepted = try facts(of: invitation, in: transaction).acceptance(with: token, newcomer: newcomer, at: now)
        // The first writes. Using another link of the invitation, or withdrawing it, writes to the same documents: one
        // succeeds, the other gets a write conflict, is retried and finds them gone.
        try tokens.deleteMany(MongoOneTimeTokenStore.all(of: token.subject, .invitation), in: transaction)
        try collection(.invitations).deleteOne(["_id": .string(token.subject)], in: transaction)
        let users = collection(.users)
        if accepted.isNewAccount {
            let document = accepted.user.document
            let namesake = try users.findOne(["foldedName": .string(document.text("foldedName"))], in: transaction)
            guard namesake == nil else { throw AppError.nameTaken }
            try users.insertOne(document, in: transaction)
        }
        if let teamID = accepted.teamID {
            try add(
                Membership(teamID: teamID, userID: accepted.user.id, role: invitation.teamRole), secret: secret,
                in: transaction)
        }
        let user = try users.findOne(["_id": .id(accepted.user.id)], in: transaction).map(User.init)
        return AcceptedInvitation(
            user: user ?? accepted.user, isNewAccount: accepted.isNewAccount, teamID: accepted.teamID)
    }

    private func facts(of invitation: Invitation, in transaction: MongoTransaction) throws -> InvitationFacts {
        func user(_ field: String, _ value: BSONValue?) throws -> User? {
            guard let value else { return nil }
            return try collection(.users).findOne([field: value], in: transaction).map(User.init)
        }
        func role(of userID: User.ID?) throws -> Membership.Role? {
            guard let userID, let teamID = invitation.teamID else { return nil }
            return try collection(.memberships)
                .findOne(["_id": .string(Membership.documentID(of: userID, in: teamID))], in: transaction)
                .map { try Membership($0).role }
        }
        let inviter = try user("_id", invitation.inviterID.map(BSONValue.id))
        let account = try user("foldedEmail", .string(EmailAddress.folded(invitation.email)))
        let team = try invitation.teamID.flatMap { teamID in
            try collection(.teams).findOne(["_id": .id(teamID)], in: transaction).map(Team.init)
        }
        return InvitationFacts(
            invitation: invitation, inviter: inviter, inviterRole: try role(of: inviter?.id), team: team,
            hasPast: try team.map { try hasPast($0.id, in: transaction) } ?? false, account: account,
            isMember: try role(of: account?.id) != nil)
    }
}
