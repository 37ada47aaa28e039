import Domain
import Mongo

extension MongoRows: UserRows {
    func user(_ id: User.ID) throws -> User? {
        try user(["_id": .id(id)])
    }

    func user(name: String) throws -> User? {
        try user(["foldedName": .string(UserName.folded(name))])
    }

    func user(email: String) throws -> User? {
        try user(["foldedEmail": .string(EmailAddress.folded(email))])
    }

    func users(near mailbox: Mailbox) throws -> [User] {
        var addresses: [BSONValue] = [["foldedEmail": .string(mailbox.address)]]
        if let range = mailbox.subaddresses { addresses.append(["foldedEmail": .document(.range(of: range))]) }
        return try collection(.users).find(["$or": .array(addresses)], in: transaction).map(User.init)
    }

    private func user(_ filter: BSONDocument) throws -> User? {
        try collection(.users).findOne(filter, in: transaction).map(User.init)
    }

    func users(_ ids: [User.ID]) throws -> [User] {
        try collection(.users)
            .find(["_id": .among(ids.map(BSONValue.id))], sort: ["_id": 1], in: transaction)
            .map(User.init)
    }

    func users(matching search: NameSearch?, after: String?, limit: Int) throws -> [User] {
        try page(of: .users, matching: search, after: after, limit: limit).map(User.init)
    }

    func pictures(among ids: [ProfilePicture.ID]) throws -> Set<ProfilePicture.ID> {
        let users = try collection(.users).find(["picture.id": .among(ids.map(BSONValue.id))], in: transaction)
        return Set(try users.compactMap { try User($0).picture?.id })
    }

    func users(role: User.Role, limit: Int) throws -> [User] {
        try collection(.users).find(
            ["role": .string(role.rawValue), "isDisabled": false], sort: ["_id": 1], limit: limit, in: transaction
        ).map(User.init)
    }

    func userCount(role: User.Role) throws -> Int {
        try collection(.users).count(["role": .string(role.rawValue), "isDisabled": false], in: transaction)
    }
}

extension MongoRows: UserChanges {
    func lock(_ userID: User.ID) throws -> Bool {
        try lock(["_id": .id(userID)], in: .users)
    }

    func lockAdmins(except userID: User.ID) throws -> Int {
        let others: BSONDocument = [
            "_id": ["$ne": .id(userID)], "role": .string(User.Role.admin.rawValue), "isDisabled": false,
        ]
        return try collection(.users).updateMany(others, ["$bit": ["lock": ["xor": .int(1)]]], in: transaction).matched
    }

    func insert(_ user: User) throws {
        try collection(.users).insertOne(user.document, in: transaction)
    }

    func update(_ user: User) throws {
        try update(
            .users, to: user.document,
            optional: [
                "displayName", "pendingEmail", "passwordHash", "defaultTeam", "picture", "addressFault", "emailSetOn",
            ])
    }

    func delete(_ user: User) throws {
        let id = BSONValue.id(user.id)
        try collection(.users).deleteOne(["_id": id], in: transaction)
        for name in [MongoCollectionName.memberships, .sessions, .devices, .externalIdentities] {
            try collection(name).deleteMany(["user": id], in: transaction)
        }
        try collection(.oneTimeTokens).deleteMany(["subject": id], in: transaction)
        try collection(.deliveries).updateMany(
            ["requestedBy": id], ["$unset": ["requestedBy": ""]], in: transaction)
        try database.countRevocations(of: [user.id], in: transaction)
    }
}
