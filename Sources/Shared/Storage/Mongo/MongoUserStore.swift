import Mongo

/// `UserStore` on the collection `users`.
struct MongoUserStore: UserStore {
    let connection: MongoConnection

    func find(id: User.ID) async throws -> User? {
        try await find(["_id": .id(id)])
    }

    func find(login: String) async throws -> User? {
        login.contains("@")
            ? try await find(["foldedEmail": .string(EmailAddress.folded(login))])
            : try await find(["foldedName": .string(UserName.folded(login))])
    }

    func list(after: String?, limit: Int) async throws -> [User] {
        guard limit > 0 else { return [] }
        let filter: BSONDocument = after.map { ["foldedName": ["$gt": .string($0)]] } ?? [:]
        return try await connection.run { database in
            try database.collection(.users).find(filter, sort: ["foldedName": 1], limit: limit).map(User.init)
        }
    }

    func insert(_ user: User) async throws {
        try await connection.run { database in
            let users = database.collection(.users)
            let document = user.document
            do {
                try users.insertOne(document)
            } catch let error as MongoError where error.kind == .duplicateKey {
                // Which index refused stands in the error's text only, and texts are no interface: so look.
                for (field, refusal) in [("foldedName", AppError.nameTaken), ("foldedEmail", .emailTaken)] {
                    if try users.findOne([field: .string(document.text(field))]) != nil { throw refusal }
                }
                throw error
            }
        }
    }

    func update(id: User.ID, _ update: UserUpdate) async throws {
        let endsSessions = update.isDisabled == true
        var filter: BSONDocument = ["_id": .id(id)]
        filter.appendIfPresent("passwordHash", update.ifPasswordHashIs.map(BSONValue.string))
        let (chosen, changes) = (filter, update.changes)
        try await connection.run { database in
            let users = database.collection(.users)
            do {
                try database.boundedTransaction { transaction in
                    guard try users.updateOne(chosen, changes, in: transaction).matched == 1 else {
                        let user = try users.findOne(["_id": .id(id)], in: transaction)
                        throw user == nil ? AppError.noSuchUser : AppError.changedMeanwhile
                    }
                    if endsSessions {
                        try database.collection(.sessions).deleteMany(["user": .id(id)], in: transaction)
                    }
                }
            } catch let error as MongoError where error.kind == .duplicateKey {
                // Of the fields an update may change, the address alone is unique.
                throw AppError.emailTaken
            }
        }
    }

    func delete(id: User.ID) async throws {
        try await connection.run { database in
            try database.boundedTransaction { transaction in
                // First: who adds a membership or an identity writes to the user, too, and of the two one has a write
                // conflict, is repeated, and sees what the other did.
                let users = database.collection(.users)
                let user = try users.findOne(["_id": .id(id)], in: transaction).map(User.init)
                guard let user, try users.deleteOne(["_id": .id(id)], in: transaction) == 1 else {
                    throw AppError.noSuchUser
                }
                if user.role == .admin, !user.isDisabled { try keepAnAdmin(in: database, transaction) }
                let memberships = try database.collection(.memberships).find(["user": .id(id)], in: transaction)
                    .map(Membership.init)
                try database.collection(.teams).updateMany(
                    ["_id": .among(memberships.map { .id($0.teamID) })], ["$inc": ["memberCount": -1]],
                    in: transaction)
                let led = memberships.filter { $0.role == .lead }.map(\.teamID)
                try keepALead(of: led, without: id, in: database, transaction)
                for name in [MongoCollectionName.memberships, .sessions, .externalIdentities] {
                    try database.collection(name).deleteMany(["user": .id(id)], in: transaction)
                }
                try database.collection(.oneTimeTokens).deleteMany(["subject": .id(id)], in: transaction)
            }
        }
    }

    func count(role: User.Role) async throws -> Int {
        try await connection.run { database in
            try database.collection(.users).count(["role": .string(role.rawValue), "isDisabled": false])
        }
    }

    /// Writes to every other admin, so that two who go at once have a write conflict: the one that is repeated sees
    /// that the other is gone. Had they only read each other, both would go.
    private func keepAnAdmin(in database: MongoDatabase, _ transaction: MongoTransaction) throws {
        let others = try database.collection(.users).updateMany(
            ["role": .string(User.Role.admin.rawValue), "isDisabled": false], ["$inc": ["adminDepartures": 1]],
            in: transaction)
        guard others.matched > 0 else { throw AppError.lastAdmin }
    }

    /// The teams were written to before, which keeps two leads from going at once as `keepAnAdmin` does admins.
    private func keepALead(
        of teamIDs: [Team.ID], without userID: User.ID, in database: MongoDatabase, _ transaction: MongoTransaction
    ) throws {
        let led = try database.collection(.teams).find(
            ["_id": .among(teamIDs.map(BSONValue.id)), "memberCount": ["$gt": 0]], sort: ["foldedName": 1],
            in: transaction)
        for team in try led.map(Team.init) {
            let lead: BSONDocument = [
                "team": .id(team.id), "role": .string(Membership.Role.lead.rawValue), "user": ["$ne": .id(userID)],
            ]
            guard try database.collection(.memberships).findOne(lead, in: transaction) != nil else {
                throw AppError.lastLead(of: team.name)
            }
        }
    }

    private func find(_ filter: BSONDocument) async throws -> User? {
        try await connection.run { try $0.collection(.users).findOne(filter).map(User.init) }
    }
}
