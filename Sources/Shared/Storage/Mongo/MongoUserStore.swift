import Mongo

/// `UserStore` on the collection `users`.
struct MongoUserStore: UserStore {
    let connection: MongoConnection

    func find(id: User.ID) async throws -> User? {
        try await find(["_id": .id(id)])
    }

    func list(ids: [User.ID]) async throws -> [User] {
        try await connection.run { database in
            try database.collection(.users)
                .find(["_id": .among(ids.map(BSONValue.id))], sort: ["_id": 1])
                .map(User.init)
        }
    }

    func find(login: String) async throws -> User? {
        login.contains("@")
            ? try await find(["foldedEmail": .string(EmailAddress.folded(login))])
            : try await find(["foldedName": .string(UserName.folded(login))])
    }

    func list(matching search: UserSearch?, after: String?, limit: Int) async throws -> [User] {
        guard limit > 0 else { return [] }
        if let search { return try await list(search, after: after ?? "", limit: limit) }
        let filter: BSONDocument = after.map { ["foldedName": ["$gt": .string($0)]] } ?? [:]
        return try await connection.run { database in
            try database.collection(.users).find(filter, sort: ["foldedName": 1], limit: limit).map(User.init)
        }
    }

    /// Users whose name matches, and those where only the address does. The second half compares names through a
    /// computed field, so that the server cannot scan all names in order but reads the matching addresses.
    private func list(_ search: UserSearch, after: String, limit: Int) async throws -> [User] {
        let names = BSONDocument.range(of: search.name)
        var namesAfter = names
        namesAfter.append("$gt", .string(after))
        let byAddress: [BSONDocument] = [
            ["$match": ["foldedEmail": .document(.range(of: search.email))]],
            ["$set": ["order": ["$concat": ["$foldedName", ""]]]],
            ["$match": ["order": ["$gt": .string(after)], "$nor": [["order": .document(names)]]]],
            ["$sort": ["order": 1]],
            ["$limit": .int(limit)],
        ]
        let pipeline: [BSONDocument] = [
            ["$match": ["foldedName": .document(namesAfter)]],
            ["$sort": ["foldedName": 1]],
            ["$limit": .int(limit)],
            [
                "$unionWith": [
                    "coll": .string(MongoCollectionName.users.rawValue),
                    "pipeline": .array(byAddress.map(BSONValue.document)),
                ]
            ],
            ["$sort": ["foldedName": 1]],
            ["$limit": .int(limit)],
        ]
        return try await connection.run { try $0.collection(.users).aggregate(pipeline).map(User.init) }
    }

    func pictures(among ids: [ProfilePicture.ID]) async throws -> Set<ProfilePicture.ID> {
        try await connection.run { database in
            let users = try database.collection(.users).find(["picture.id": .among(ids.map(BSONValue.id))])
            return Set(try users.compactMap { try User($0).picture?.id })
        }
    }

    func insert(_ user: User) async throws {
        try await connection.run { database in
            try database.tellingWhatIsTaken(by: user) {
                try database.collection(.users).insertOne(user.document)
            }
        }
    }

    func insertFirst(_ user: User, claiming claim: TokenClaim) async throws {
        try await connection.run { database in
            try database.tellingWhatIsTaken(by: user) {
                try database.boundedTransaction { transaction in
                    let users = database.collection(.users)
                    // An account that is created in another way at this very moment goes unnoticed. It comes from the
                    // operator's command or a registration, and both accounts stay.
                    try database.take(claim, in: transaction) { _ in try users.findOne([:], in: transaction) == nil }
                    try users.insertOne(user.document, in: transaction)
                }
            }
        }
    }

    func update(id: User.ID, _ update: UserUpdate) async throws {
        try await connection.run { database in
            do {
                try database.boundedTransaction { try database.update(id, update, in: $0) }
            } catch let error as MongoError where error.kind == .duplicateKey {
                // Of the fields an update may change, only the address is unique.
                throw AppError.emailTaken
            }
        }
    }

    func delete(
        id: User.ID, ifPictureIs picture: ProfilePicture.ID?, ifAdmin admin: User.ID?, secret: BallotSecret,
        enqueueing job: Job
    ) async throws {
        try await connection.run { database in
            try database.boundedTransaction { transaction in
                // First: adding a membership or an identity also writes to the user, so of two concurrent transactions
                // one gets a write conflict, is retried and sees the other's change.
                let users = database.collection(.users)
                let user = try users.findOne(["_id": .id(id)], in: transaction).map(User.init)
                guard let user, try users.deleteOne(["_id": .id(id)], in: transaction) == 1 else {
                    throw AppError.noSuchUser
                }
                guard user.picture?.id == picture else { throw AppError.changedMeanwhile }
                try database.refuseUnlessAdmin(admin, in: transaction)
                if user.role == .admin, !user.isDisabled { try database.keepAnAdmin(without: id, in: transaction) }
                let memberships = try database.collection(.memberships).find(["user": .id(id)], in: transaction)
                    .map(Membership.init)
                try database.collection(.teams).updateMany(
                    ["_id": .among(memberships.map { .id($0.teamID) })], ["$inc": ["memberCount": -1]],
                    in: transaction)
                let led = memberships.filter { $0.role == .lead }.map(\.teamID)
                try keepALead(of: led, without: id, in: database, transaction)
                try database.releaseActions(of: id, in: nil, transaction)
                try database.keepReceipts(of: user, secret: secret, in: transaction)
                for name in [MongoCollectionName.memberships, .sessions, .devices, .externalIdentities] {
                    try database.collection(name).deleteMany(["user": .id(id)], in: transaction)
                }
                try database.collection(.oneTimeTokens).deleteMany(["subject": .id(id)], in: transaction)
                try database.collection(.deliveries).updateMany(
                    ["requestedBy": .id(id)], ["$unset": ["requestedBy": ""]], in: transaction)
                try database.collection(.jobs).insertOne(job.document, in: transaction)
            }
        }
    }

    func count(role: User.Role) async throws -> Int {
        try await connection.run { database in
            try database.collection(.users).count(["role": .string(role.rawValue), "isDisabled": false])
        }
    }

    /// The teams have already been written to, which prevents two leads from leaving concurrently, as
    /// `MongoDatabase.keepAnAdmin` does for admins.
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

extension MongoDatabase {
    /// Runs `body`, which stores a new user, with or without a transaction.
    /// - Throws: what `body` throws, but `AppError.nameTaken` or `AppError.emailTaken` for a duplicate key.
    func tellingWhatIsTaken<Result>(by user: User, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as MongoError where error.kind == .duplicateKey {
            // Only the error's text names the violated index, and texts are not an interface, so look it up.
            let document = user.document
            for (field, refusal) in [("foldedName", AppError.nameTaken), ("foldedEmail", .emailTaken)] {
                if try collection(.users).findOne([field: .string(document.text(field))]) != nil { throw refusal }
            }
            throw error
        }
    }
}
