import Domain
import Mongo

extension MongoRows: TeamRows, TeamWrites {
    func team(_ id: Team.ID) throws -> Team? {
        try collection(.teams).findOne(["_id": .id(id)], in: transaction).map(Team.init)
    }

    func team(name: String) throws -> Team? {
        try collection(.teams).findOne(["foldedName": .string(UserName.folded(name))], in: transaction).map(Team.init)
    }

    func hasPast(_ teamID: Team.ID) throws -> Bool {
        let told: BSONDocument = [
            "team": .id(teamID),
            "$or": [["count": ["$gt": 0]], ["closed": true, "eligible": ["$ne": 0]]],
        ]
        return try collection(.happiness).findOne(told, projection: ["_id": 1], in: transaction) != nil
            || collection(.actions).findOne(["team": .id(teamID)], projection: ["_id": 1], in: transaction) != nil
    }

    func membership(of userID: User.ID, in teamID: Team.ID) throws -> Membership? {
        try collection(.memberships)
            .findOne(["_id": .string(Membership.documentID(of: userID, in: teamID))], in: transaction)
            .map(Membership.init)
    }

    func memberships(of userID: User.ID) throws -> [Membership] {
        try collection(.memberships).find(["user": .id(userID)], in: transaction).map(Membership.init)
    }

    func hasMember(of teamID: Team.ID, role: Membership.Role?) throws -> Bool {
        var filter: BSONDocument = ["team": .id(teamID)]
        filter.appendIfPresent("role", role.map { .string($0.rawValue) })
        return try collection(.memberships).findOne(filter, projection: ["_id": 1], in: transaction) != nil
    }

    func team(shareTokenHash: [UInt8]) throws -> Team? {
        try team(["shareTokenHash": .binary(shareTokenHash)])
    }

    func teams(_ ids: [Team.ID]) throws -> [Team] {
        try collection(.teams)
            .find(["_id": .among(ids.map(BSONValue.id))], sort: ["_id": 1], in: transaction)
            .map(Team.init)
    }

    func teams(matching search: NameSearch?, after: String?, limit: Int) throws -> [Team] {
        try page(of: .teams, matching: search, after: after, limit: limit).map(Team.init)
    }

    func teams(after: Team.ID?, limit: Int) throws -> [Team] {
        guard limit > 0 else { return [] }
        var filter: BSONDocument = [:]
        filter.appendIfPresent("_id", after.map { ["$gt": .id($0)] })
        return try collection(.teams).find(filter, sort: ["_id": 1], limit: limit, in: transaction).map(Team.init)
    }

    func teams(of userID: User.ID) throws -> [(team: Team, role: Membership.Role)] {
        let memberships = try collection(.memberships).find(["user": .id(userID)], in: transaction).map(Membership.init)
        let roles = Dictionary(memberships.map { ($0.teamID, $0.role) }, uniquingKeysWith: { first, _ in first })
        return try collection(.teams)
            .find(["_id": .among(roles.keys.map(BSONValue.id))], sort: ["foldedName": 1], in: transaction)
            .compactMap { document in
                let team = try Team(document)
                return roles[team.id].map { (team: team, role: $0) }
            }
    }

    func teamCounts(of userIDs: [User.ID]) throws -> [User.ID: Int] {
        // Counted here: the people on one page have few memberships.
        let memberships = try collection(.memberships)
            .find(["user": .among(userIDs.map(BSONValue.id))], projection: ["_id": 0, "user": 1], in: transaction)
        return try memberships.reduce(into: [:]) { counts, document in
            counts[try document.parsed("user"), default: 0] += 1
        }
    }

    func members(of teamID: Team.ID) throws -> [Membership] {
        try collection(.memberships).find(["team": .id(teamID)], sort: ["user": 1], in: transaction).map(
            Membership.init)
    }

    func members(of teamID: Team.ID, after: User.ID?, limit: Int) throws -> [Membership] {
        guard limit > 0 else { return [] }
        var filter: BSONDocument = ["team": .id(teamID)]
        filter.appendIfPresent("user", after.map { ["$gt": .id($0)] })
        return try collection(.memberships).find(filter, sort: ["user": 1], limit: limit, in: transaction).map(
            Membership.init)
    }

    /// Reads and sorts the names of the whole team here: the server cannot fold display names, and would look up each
    /// account by itself (`$lookup`).
    func members(
        of teamID: Team.ID, matching search: NameSearch?, after: MemberPosition?, limit: Int
    ) throws -> [(user: User, role: Membership.Role)] {
        guard limit > 0 else { return [] }
        var rest = try positions(of: teamID, matching: search)
            .filter { position in after.map { $0 < position } ?? true }
            .sorted()[...]
        var found: [(user: User, role: Membership.Role)] = []
        // Again if a member has just left: the caller would take a short page for the last one.
        while found.count < limit, !rest.isEmpty {
            let page = rest.prefix(limit - found.count)
            rest = rest.dropFirst(page.count)
            found += try members(page.map(\.userID), of: teamID)
        }
        return found
    }

    func memberIDs(
        of teamID: Team.ID, after: User.ID?, through: User.ID?, limit: Int
    ) throws -> [User.ID] {
        guard limit > 0 else { return [] }
        var range: BSONDocument = [:]
        range.appendIfPresent("$gt", after.map(BSONValue.id))
        range.appendIfPresent("$lte", through.map(BSONValue.id))
        var filter: BSONDocument = ["team": .id(teamID)]
        if after != nil || through != nil { filter.append("user", .document(range)) }
        return try collection(.memberships)
            .find(filter, sort: ["user": 1], projection: ["_id": 0, "user": 1], limit: limit, in: transaction)
            .map { try $0.parsed("user") }
    }

    func memberIDs(of teamID: Team.ID, among userIDs: [User.ID]) throws -> Set<User.ID> {
        let ids = userIDs.map { BSONValue.string(Membership.documentID(of: $0, in: teamID)) }
        return Set(
            try collection(.memberships)
                .find(["_id": .among(ids)], projection: ["_id": 0, "user": 1], in: transaction)
                .map { try $0.parsed("user") })
    }

    /// The sum of the team's own counter (starts, closes and publications of closed sprints) and, for each open sprint,
    /// the number of its publications. So a vote that publishes writes to the sprint alone. Closing moves the sprint's
    /// number to the team's in one transaction, so the sum never decreases.
    ///
    /// The team is read before the sprints. If a sprint is closed in between, the sum is too small, never too large,
    /// and no later publication has the same number.
    func publicationNumber(of teamID: Team.ID) throws -> Int? {
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
        let numbers = try collection(.teams).aggregate(pipeline, in: transaction)
        // If the team does not exist, neither do its sprints.
        return numbers.isEmpty ? nil : try numbers.reduce(0) { try $0 + $1.int("publicationNumber") }
    }

    func purgeDeletedTeam(of teamID: Team.ID) throws {
        let ofTeam: BSONDocument = ["team": .id(teamID)]
        for (child, field, parent) in Self.children {
            while true {
                let ids = try collection(parent)
                    .find(ofTeam, projection: ["_id": 1], limit: Self.sliceLength, in: transaction).compactMap {
                        $0["_id"]
                    }
                guard !ids.isEmpty else { break }
                try deleteAll([field: .among(ids)], from: child)
                try collection(parent).deleteMany(["_id": .among(ids)], in: transaction)
                // A worker may have added some before it could see that the parent is gone.
                try deleteAll([field: .among(ids)], from: child)
            }
        }
        for name in Self.belongings { try deleteAll(ofTeam, from: name) }
        try collection(.reminderSettings).deleteOne(["_id": .id(teamID)], in: transaction)
    }

    /// Documents that name a document of the team instead of the team.
    private static let children: [(MongoCollectionName, field: String, of: MongoCollectionName)] = [
        (.deliveryBatches, "delivery", .deliveries), (.experimentSprints, "experiment", .reminderExperiments),
    ]

    /// Sprints come first: a ballot that is being cast conflicts with their deletion, so that no receipt and no feedback
    /// is added after it. Memberships are among them, in case an older process added one.
    private static let belongings: [MongoCollectionName] = [
        .happiness, .userSprints, .spentPapers, .commitments, .ballotKeys, .feedback, .memberships, .invitations,
        .actions,
    ]

    /// Documents per call, which must return within two seconds.
    private static let sliceLength = 500

    private func team(_ filter: BSONDocument) throws -> Team? {
        try collection(.teams).findOne(filter, in: transaction).map(Team.init)
    }
}

extension MongoRows: TeamChanges {
    func lock(_ teamID: Team.ID) throws -> Bool {
        try lock(["_id": .id(teamID)], in: .teams)
    }

    func insert(_ team: Team) throws {
        try collection(.teams).insertOne(team.document, in: transaction)
    }

    func update(_ team: Team) throws {
        let row = team.document
        var fields: BSONDocument = [:]
        for (field, value) in row where !["memberCount", "publicationNumber"].contains(field) {
            fields.append(field, value)
        }
        try update(.teams, to: fields, optional: ["shareTokenHash"])
    }

    func delete(_ team: Team) throws {
        try collection(.invitations).deleteMany(["team": .id(team.id)], in: transaction)
        try collection(.teams).deleteOne(["_id": .id(team.id)], in: transaction)
    }

    func changeMemberCount(of teamID: Team.ID, by number: Int) throws -> Bool {
        try increment("memberCount", by: number, of: teamID)
    }

    func countPublication(of teamID: Team.ID) throws -> Bool {
        try increment("publicationNumber", of: teamID)
    }

    func insert(_ membership: Membership) throws {
        try collection(.memberships).insertOne(membership.document, in: transaction)
    }

    func update(_ membership: Membership) throws {
        try update(.memberships, to: membership.document)
        try database.countRevocations(of: [membership.userID], in: transaction)
    }

    func delete(_ membership: Membership) throws {
        try collection(.memberships).deleteOne(["_id": membership.document["_id"] ?? .null], in: transaction)
        try database.countRevocations(of: [membership.userID], in: transaction)
    }

    /// - Returns: whether the team exists.
    func increment(_ field: String, by number: Int = 1, of teamID: Team.ID) throws -> Bool {
        try collection(.teams)
            .updateOne(["_id": .id(teamID)], ["$inc": .document([field: .int(number)])], in: transaction).matched == 1
    }
}

extension MongoRows {
    /// The positions of all members who match, in no particular order: reads an index entry and two names of each.
    private func positions(of teamID: Team.ID, matching search: NameSearch?) throws -> [MemberPosition] {
        let ids = try collection(.memberships)
            .find(["team": .id(teamID)], projection: ["_id": 0, "user": 1], in: transaction)
            .map { BSONValue.string(try $0.text("user")) }
        let accounts = try collection(.users)
            .find(["_id": .among(ids)], projection: ["foldedName": 1, "displayName": 1], in: transaction)
        return try accounts.compactMap { account -> MemberPosition? in
            let name = try account.text("foldedName")
            let displayName = account["displayName"]?.stringValue
            if let search, !search.matches(NameSearch.text(of: [name, displayName ?? ""])) { return nil }
            return MemberPosition(
                name: displayName.map(UserName.folded) ?? name, userID: try account.parsed("_id"))
        }
    }

    /// These members with their accounts, in the given order, without those who are not in the team.
    private func members(
        _ userIDs: [User.ID], of teamID: Team.ID
    ) throws -> [(user: User, role: Membership.Role)] {
        let users = try collection(.users).find(["_id": .among(userIDs.map(BSONValue.id))], in: transaction).map(
            User.init)
        let keys = userIDs.map { BSONValue.string(Membership.documentID(of: $0, in: teamID)) }
        let memberships = try collection(.memberships).find(["_id": .among(keys)], in: transaction).map(Membership.init)
        let accounts = Dictionary(users.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let roles = Dictionary(memberships.map { ($0.userID, $0.role) }, uniquingKeysWith: { first, _ in first })
        return userIDs.compactMap { id -> (user: User, role: Membership.Role)? in
            guard let user = accounts[id], let role = roles[id] else { return nil }
            return (user: user, role: role)
        }
    }

    /// Deletes all documents that match, in slices: each call must return within two seconds.
    private func deleteAll(_ filter: BSONDocument, from name: MongoCollectionName) throws {
        let collection = collection(name)
        while true {
            let slice = try collection.find(filter, projection: ["_id": 1], limit: 10_000, in: transaction).compactMap {
                $0["_id"]
            }
            guard !slice.isEmpty else { return }
            // With the filter, so that an index is used: asked for several `_id` alone, MongoDB 6 reads the whole of a
            // clustered collection.
            var chosen = filter
            chosen.append("_id", .among(slice))
            try collection.deleteMany(chosen, in: transaction)
        }
    }
}
