import Mongo

/// `TeamStore` on the collections `teams` and `memberships`.
struct MongoTeamStore: TeamStore {
    let connection: MongoConnection

    func find(id: Team.ID) async throws -> Team? {
        try await find(["_id": .id(id)])
    }

    func find(name: String) async throws -> Team? {
        try await find(["foldedName": .string(UserName.folded(name))])
    }

    func find(shareTokenHash: [UInt8]) async throws -> Team? {
        try await find(["shareTokenHash": .binary(shareTokenHash)])
    }

    func list(ids: [Team.ID]) async throws -> [Team] {
        try await connection.run { database in
            try database.collection(.teams)
                .find(["_id": .among(ids.map(BSONValue.id))], sort: ["_id": 1])
                .map(Team.init)
        }
    }

    func list(matching prefix: String?, after: String?, limit: Int) async throws -> [Team] {
        guard limit > 0 else { return [] }
        var names = BSONDocument.range(of: TextPrefix(text: prefix ?? ""))
        names.append("$gt", .string(after ?? ""))
        let filter: BSONDocument = ["foldedName": .document(names)]
        return try await connection.run { database in
            try database.collection(.teams).find(filter, sort: ["foldedName": 1], limit: limit).map(Team.init)
        }
    }

    func list(after: Team.ID?, limit: Int) async throws -> [Team] {
        guard limit > 0 else { return [] }
        var filter: BSONDocument = [:]
        filter.appendIfPresent("_id", after.map { ["$gt": .id($0)] })
        let chosen = filter
        return try await connection.run { database in
            try database.collection(.teams).find(chosen, sort: ["_id": 1], limit: limit).map(Team.init)
        }
    }

    func insert(_ team: Team) async throws {
        try await connection.run { database in
            let teams = database.collection(.teams)
            let document = team.document
            do {
                try teams.insertOne(document)
            } catch let error as MongoError where error.kind == .duplicateKey {
                let namesake = try teams.findOne(["foldedName": .string(document.text("foldedName"))])
                guard namesake != nil else { throw error }
                throw AppError.teamNameTaken
            }
        }
    }

    /// If two transactions read the same rules, the one that writes later gets a write conflict and is retried.
    func update(id: Team.ID, _ rules: TeamRules, from present: TeamRules) async throws -> Bool {
        let folded = BSONValue.string(UserName.folded(rules.name))
        let update: BSONDocument = [
            "$set": [
                "name": .string(rules.name), "foldedName": folded, "settings": .document(rules.settings.document),
            ],
            "$inc": ["publicationNumber": 1],
        ]
        return try await connection.run { database in
            let teams = database.collection(.teams)
            do {
                return try database.boundedTransaction { transaction in
                    let stored = try teams.findOne(["_id": .id(id)], in: transaction).map(Team.init)
                    guard let stored else { throw AppError.noSuchTeam }
                    guard stored.rules == present else { return false }
                    try teams.updateOne(["_id": .id(id)], update, in: transaction)
                    try Self.changeThreshold(to: rules.settings.threshold, in: id, database, transaction)
                    return true
                }
            } catch let error as MongoError where error.kind == .duplicateKey {
                guard try teams.findOne(["foldedName": folded]) != nil else { throw error }
                throw AppError.teamNameTaken
            }
        }
    }

    /// Changes the threshold of the team's open sprints after the team's own was changed.
    private static func changeThreshold(
        to wanted: Int, in teamID: Team.ID, _ database: MongoDatabase, _ transaction: MongoTransaction
    ) throws {
        let sprints = database.collection(.happiness)
        let open = try sprints.find(["team": .id(teamID), "closed": false], in: transaction).map(SprintRecord.init)
        for record in open {
            let (threshold, raise) = record.changingThreshold(to: wanted)
            guard threshold != record.sprint.threshold || raise != record.raise else { continue }
            try sprints.updateOne(
                ["_id": .string(record.sprint.key.documentID)],
                ["$set": ["threshold": .int(threshold), "raise": .document(raise.document)]], in: transaction)
        }
    }

    func setShareTokenHash(id: Team.ID, _ hash: [UInt8]?) async throws {
        let update: BSONDocument =
            hash.map { ["$set": ["shareTokenHash": .binary($0)]] } ?? ["$unset": ["shareTokenHash": ""]]
        let result = try await connection.run { try $0.collection(.teams).updateOne(["_id": .id(id)], update) }
        guard result.matched == 1 else { throw AppError.noSuchTeam }
    }

    func add(_ membership: Membership, secret: BallotSecret) async throws {
        try await connection.run { database in
            try database.boundedTransaction { try database.add(membership, secret: secret, in: $0) }
        }
    }

    /// Increments `roleChanges`, which is never read: a transaction that demotes or removes another lead concurrently
    /// also writes to the team, so one of the two gets a write conflict, is retried and sees the other's change.
    func setRole(
        _ role: Membership.Role, insteadOf old: Membership.Role, of userID: User.ID, in teamID: Team.ID,
        by caller: Caller
    ) async throws {
        try await connection.run { database in
            try database.boundedTransaction { transaction in
                try database.collection(.teams).updateOne(
                    ["_id": .id(teamID)], ["$inc": ["roleChanges": 1]], in: transaction)
                let memberships = database.collection(.memberships)
                let key = BSONValue.string(Membership.documentID(of: userID, in: teamID))
                guard let member = try memberships.findOne(["_id": key], in: transaction).map(Membership.init) else {
                    throw AppError.notInTeam
                }
                guard try member.role == old && isManager(caller, of: teamID, in: database, transaction) else {
                    throw AppError.roleChanged
                }
                try memberships.updateOne(
                    ["_id": key], ["$set": ["role": .string(role.rawValue)]], in: transaction)
                if member.role == .lead { try refuseIfWithoutLead(teamID, .ofMembers, in: database, transaction) }
            }
        }
    }

    func remove(userID: User.ID, from teamID: Team.ID, by caller: Caller) async throws {
        try await connection.run { database in
            try database.boundedTransaction { transaction in
                let memberships = database.collection(.memberships)
                let key = BSONValue.string(Membership.documentID(of: userID, in: teamID))
                try database.collection(.teams).updateOne(
                    ["_id": .id(teamID)], ["$inc": ["memberCount": -1]], in: transaction)
                guard let member = try memberships.findOne(["_id": key], in: transaction).map(Membership.init) else {
                    throw AppError.notInTeam
                }
                guard try caller == .user(userID) || isManager(caller, of: teamID, in: database, transaction) else {
                    throw AppError.roleChanged
                }
                guard try memberships.deleteOne(["_id": key], in: transaction) == 1 else { throw AppError.notInTeam }
                try database.releaseActions(of: userID, in: teamID, transaction)
                if member.role == .lead {
                    try refuseIfWithoutLead(
                        teamID, KeptLead(removing: userID, by: caller), in: database, transaction)
                }
                let left = try memberships.find(["user": .id(userID)], in: transaction).map(Membership.init)
                let other = try database.collection(.teams).findOne(
                    ["_id": .among(left.map { .id($0.teamID) })], sort: ["foldedName": 1], in: transaction)
                try replaceDefaultTeam(
                    teamID, of: userID, with: other.map { try Team($0).id }, in: database, transaction)
            }
        }
    }

    func hasPast(_ id: Team.ID) async throws -> Bool {
        try await connection.run { try $0.hasPast(id) }
    }

    func membership(of userID: User.ID, in teamID: Team.ID) async throws -> Membership? {
        try await connection.run { database in
            try database.collection(.memberships)
                .findOne(["_id": .string(Membership.documentID(of: userID, in: teamID))])
                .map(Membership.init)
        }
    }

    func teams(of userID: User.ID) async throws -> [(team: Team, role: Membership.Role)] {
        try await connection.run { database in
            let memberships = try database.collection(.memberships).find(["user": .id(userID)]).map(Membership.init)
            let roles = Dictionary(memberships.map { ($0.teamID, $0.role) }, uniquingKeysWith: { first, _ in first })
            return try database.collection(.teams)
                .find(["_id": .among(roles.keys.map(BSONValue.id))], sort: ["foldedName": 1])
                .compactMap { document in
                    let team = try Team(document)
                    return roles[team.id].map { (team: team, role: $0) }
                }
        }
    }

    func teamCounts(of userIDs: [User.ID]) async throws -> [User.ID: Int] {
        try await connection.run { database in
            // Counted here: the people on one page have few memberships.
            let memberships = try database.collection(.memberships)
                .find(["user": .among(userIDs.map(BSONValue.id))], projection: ["_id": 0, "user": 1])
            return try memberships.reduce(into: [:]) { counts, document in
                counts[try document.parsed("user"), default: 0] += 1
            }
        }
    }

    func members(of teamID: Team.ID) async throws -> [Membership] {
        try await connection.run { database in
            try database.collection(.memberships).find(["team": .id(teamID)], sort: ["user": 1]).map(Membership.init)
        }
    }

    func memberIDs(
        of teamID: Team.ID, after: User.ID?, through: User.ID?, limit: Int
    ) async throws -> [User.ID] {
        guard limit > 0 else { return [] }
        var range: BSONDocument = [:]
        range.appendIfPresent("$gt", after.map(BSONValue.id))
        range.appendIfPresent("$lte", through.map(BSONValue.id))
        var filter: BSONDocument = ["team": .id(teamID)]
        if after != nil || through != nil { filter.append("user", .document(range)) }
        let chosen = filter
        return try await connection.run { database in
            try database.collection(.memberships)
                .find(chosen, sort: ["user": 1], projection: ["_id": 0, "user": 1], limit: limit)
                .map { try $0.parsed("user") }
        }
    }

    func memberIDs(of teamID: Team.ID, among userIDs: [User.ID]) async throws -> Set<User.ID> {
        let ids = userIDs.map { BSONValue.string(Membership.documentID(of: $0, in: teamID)) }
        return try await connection.run { database in
            Set(
                try database.collection(.memberships)
                    .find(["_id": .among(ids)], projection: ["_id": 0, "user": 1])
                    .map { try $0.parsed("user") })
        }
    }

    /// The sum of the team's own counter (starts, closes and publications of closed sprints) and, for each open sprint,
    /// the number of its publications. So a vote that publishes writes to the sprint alone. Closing moves the sprint's
    /// number to the team's in one transaction, so the sum never decreases.
    ///
    /// The team is read before the sprints. If a sprint is closed in between, the sum is too small, never too large,
    /// and no later publication has the same number.
    func publicationNumber(of teamID: Team.ID) async throws -> Int? {
        let open: BSONDocument = ["team": .id(teamID), "closed": false]
        let pipeline: [BSONDocument] = [
            ["$match": ["_id": .id(teamID)]],
            ["$project": ["publicationNumber": 1]],
            [
                "$unionWith": [
                    "coll": .string(MongoCollectionName.happiness.rawValue),
                    "pipeline": [
                        ["$match": .document(open)], ["$project": ["publicationNumber": "$published.number"]],
                    ],
                ]
            ],
        ]
        return try await connection.run { database in
            let numbers = try database.collection(.teams).aggregate(pipeline)
            // If the team does not exist, neither do its sprints.
            return numbers.isEmpty ? nil : try numbers.reduce(0) { try $0 + $1.int("publicationNumber") }
        }
    }

    /// Whether the caller manages the team at this moment.
    private func isManager(
        _ caller: Caller, of teamID: Team.ID, in database: MongoDatabase, _ transaction: MongoTransaction
    ) throws -> Bool {
        guard let userID = caller.userID else { return true }
        let key = BSONValue.string(Membership.documentID(of: userID, in: teamID))
        let membership = try database.collection(.memberships).findOne(["_id": key], in: transaction)
        return try membership.map(Membership.init)?.role == .lead
            || database.user(userID, in: transaction)?.isActiveAdmin == true
    }

    /// For the end of a transaction that wrote to the team first.
    /// - Throws: `AppError.onlyLead` if the team no longer has the lead it must keep.
    private func refuseIfWithoutLead(
        _ teamID: Team.ID, _ kept: KeptLead, in database: MongoDatabase, _ transaction: MongoTransaction
    ) throws {
        let memberships = database.collection(.memberships)
        let lead: BSONDocument = ["team": .id(teamID), "role": .string(Membership.Role.lead.rawValue)]
        guard kept != .nobody, try memberships.findOne(lead, in: transaction) == nil else { return }
        let isKept = try kept == .always || memberships.findOne(["team": .id(teamID)], in: transaction) != nil
        guard !isKept else { throw AppError.onlyLead }
    }

    private func find(_ filter: BSONDocument) async throws -> Team? {
        try await connection.run { try $0.collection(.teams).findOne(filter).map(Team.init) }
    }

    /// Increments `membershipChanges`, as `add` does, whether or not the default changes. Each transaction reads the
    /// user's teams and then writes the default, so of two concurrent ones one gets a write conflict and is retried.
    /// Otherwise two removals could each make the other's team the default.
    private func replaceDefaultTeam(
        _ teamID: Team.ID, of userID: User.ID, with other: Team.ID?, in database: MongoDatabase,
        _ transaction: MongoTransaction
    ) throws {
        let users = database.collection(.users)
        try users.updateOne(["_id": .id(userID)], ["$inc": ["membershipChanges": 1]], in: transaction)
        let update: BSONDocument =
            other.map { ["$set": ["defaultTeam": .id($0)]] } ?? ["$unset": ["defaultTeam": ""]]
        try users.updateOne(["_id": .id(userID), "defaultTeam": .id(teamID)], update, in: transaction)
    }
}

extension MongoDatabase {
    /// `TeamStore.hasPast`, optionally in a transaction.
    func hasPast(_ teamID: Team.ID, in transaction: MongoTransaction? = nil) throws -> Bool {
        let told: BSONDocument = [
            "team": .id(teamID),
            "$or": [["count": ["$gt": 0]], ["closed": true, "eligible": ["$ne": 0]]],
        ]
        return try collection(.happiness).findOne(told, projection: ["_id": 1], in: transaction) != nil
            || collection(.actions).findOne(["team": .id(teamID)], projection: ["_id": 1], in: transaction) != nil
    }

    /// `TeamStore.add` in a transaction.
    /// - Throws: as `TeamStore.add`.
    func add(_ membership: Membership, secret: BallotSecret, in transaction: MongoTransaction) throws {
        let key = BSONValue.string(Membership.documentID(of: membership.userID, in: membership.teamID))
        let userUpdate = BSONDocument.pipeline([
            [
                "$set": [
                    "defaultTeam": ["$ifNull": ["$defaultTeam", .id(membership.teamID)]],
                    "membershipChanges": ["$add": [["$ifNull": ["$membershipChanges", 0]], 1]],
                ]
            ]
        ])
        let memberships = collection(.memberships)
        let team = try collection(.teams).updateOne(
            ["_id": .id(membership.teamID)], ["$inc": ["memberCount": 1, "publicationNumber": 1]], in: transaction)
        guard team.matched == 1 else { throw AppError.noSuchTeam }
        let user = try collection(.users).updateOne(["_id": .id(membership.userID)], userUpdate, in: transaction)
        guard user.matched == 1 else { throw AppError.noSuchUser }
        guard try memberships.findOne(["_id": key], in: transaction) == nil else {
            throw AppError.alreadyAMember
        }
        try memberships.insertOne(membership.document, in: transaction)
        guard let account = try self.user(membership.userID, in: transaction) else { throw AppError.noSuchUser }
        try takeReceipts(of: account, in: membership.teamID, secret: secret, transaction)
        try collection(.happiness).updateMany(
            ["team": .id(membership.teamID), "closed": false], ["$inc": ["joined": 1]], in: transaction)
    }
}
