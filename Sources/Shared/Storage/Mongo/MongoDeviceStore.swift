import Mongo

/// `DeviceStore` on the collection `devices`.
struct MongoDeviceStore: MongoTransactions, DeviceStore {
    let connection: MongoConnection

    /// Up to this team size, devices are found by their owners. For a larger team, devices are scanned in order and
    /// their owners looked up, so the cost of a read depends on its result, not on the size of the team.
    private static let smallTeam = 500

    func find(address: Device.Address) async throws -> Device? {
        let hash = StoredDeviceAddress(address).hash
        return try await connection.run { database in
            try database.collection(.devices).findOne(["addressHash": .binary(hash)]).map(Device.init)
        }
    }

    func list(userID: User.ID) async throws -> [Device] {
        try await connection.run { database in
            try database.collection(.devices).find(["user": .id(userID)], sort: ["_id": 1]).map(Device.init)
        }
    }

    func list(ids: [Device.ID]) async throws -> [Device] {
        try await connection.run { database in
            try database.collection(.devices)
                .find(["_id": .among(ids.map(BSONValue.id))], sort: ["_id": 1])
                .map(Device.init)
        }
    }

    func list(teamID: Team.ID, after: Device.ID?, through: Device.ID?, limit: Int) async throws -> [Device] {
        guard limit > 0 else { return [] }
        return try await connection.run { database in
            let members = try database.members(of: teamID, limit: Self.smallTeam + 1)
            guard members.count > Self.smallTeam else {
                return try database.devices(after: after, through: through, owners: members, limit: limit)
            }
            var found: [Device] = []
            var last = after
            while found.count < limit {
                let page = try database.devices(after: last, through: through, limit: limit)
                found += try database.devices(page, ofMembersOf: teamID)
                guard page.count == limit else { break }
                last = page.last?.id
            }
            return Array(found.prefix(limit))
        }
    }

    func owners(among userIDs: [User.ID], reachedBy services: Set<PushService>) async throws -> Set<User.ID> {
        try await connection.run { database in
            let wanted: BSONDocument = [
                "user": .among(userIDs.map(BSONValue.id)),
                "service": .among(services.map { .string($0.rawValue) }),
            ]
            let owners = try database.collection(.devices).aggregate([
                ["$match": .document(wanted)], ["$group": ["_id": "$user"]],
            ])
            return Set(try owners.map { try $0.parsed("_id") })
        }
    }

    func delete(id: Device.ID, userID: User.ID) async throws -> Bool {
        try await connection.run { database in
            try database.collection(.devices).deleteOne(["_id": .id(id), "user": .id(userID)]) == 1
        }
    }

    func delete(id: Device.ID, ifAddressIs address: Device.Address, refreshedBy day: CalendarDay?) async throws {
        var filter: BSONDocument = ["_id": .id(id), "addressHash": .binary(StoredDeviceAddress(address).hash)]
        filter.appendIfPresent("refreshed", day.map { ["$lte": .string($0.description)] })
        let chosen = filter
        try await connection.run { _ = try $0.collection(.devices).deleteOne(chosen) }
    }

    func deleteStale(before day: CalendarDay) async throws {
        try await connection.run { database in
            _ = try database.collection(.devices).deleteMany(["refreshed": ["$lt": .string(day.description)]])
        }
    }
}

extension MongoDatabase {
    /// The ids of a team's first members, read from an index alone.
    fileprivate func members(of teamID: Team.ID, limit: Int) throws -> [BSONValue] {
        try collection(.memberships)
            .find(["team": .id(teamID)], sort: ["user": 1], projection: ["_id": 0, "user": 1], limit: limit)
            .map { BSONValue.string(try $0.text("user")) }
    }

    /// Devices ordered by id.
    /// - Parameter owners: their owners; `nil` means any.
    fileprivate func devices(
        after: Device.ID?, through: Device.ID?, owners: [BSONValue]? = nil, limit: Int
    ) throws -> [Device] {
        var filter = BSONDocument()
        filter.appendIfPresent("user", owners.map(BSONValue.among))
        filter.appendIfPresent("_id", BSONValue.range(after: after, through: through))
        return try collection(.devices).find(filter, sort: ["_id": 1], limit: limit).map(Device.init)
    }

    /// The devices whose owners are in a team, in the given order.
    fileprivate func devices(_ devices: [Device], ofMembersOf teamID: Team.ID) throws -> [Device] {
        let ids = Set(devices.map { Membership.documentID(of: $0.userID, in: teamID) })
        let members = Set(
            try collection(.memberships)
                .find(["_id": .among(ids.map(BSONValue.string))], projection: ["_id": 1])
                .map { try $0.text("_id") })
        return devices.filter { members.contains(Membership.documentID(of: $0.userID, in: teamID)) }
    }
}

extension BSONValue {
    /// The condition that an id lies after one and up to another; `nil` without bounds.
    fileprivate static func range(after: Device.ID?, through: Device.ID?) -> BSONValue? {
        var range = BSONDocument()
        range.appendIfPresent("$gt", after.map(BSONValue.id))
        range.appendIfPresent("$lte", through.map(BSONValue.id))
        return range == BSONDocument() ? nil : .document(range)
    }
}

extension MongoRows: DeviceRows {
    func device(at address: Device.Address) throws -> Device? {
        try collection(.devices)
            .findOne(["addressHash": .binary(StoredDeviceAddress(address).hash)], in: transaction)
            .map(Device.init)
    }

    func browserDevices(of sessionID: Session.ID) throws -> [Device] {
        try collection(.devices)
            .find(
                ["session": .id(sessionID), "service": .string(PushService.webPush.rawValue)], sort: ["_id": 1],
                in: transaction
            )
            .map(Device.init)
    }

    func deviceCount(of userID: User.ID) throws -> Int {
        try collection(.devices).count(["user": .id(userID)], in: transaction)
    }

    func insert(_ device: Device) throws {
        try collection(.devices).insertOne(device.document, in: transaction)
    }

    func update(_ device: Device) throws {
        try collection(.devices).replaceOne(["_id": .id(device.id)], device.document, in: transaction)
    }

    func delete(_ device: Device) throws {
        try collection(.devices).deleteOne(["_id": .id(device.id)], in: transaction)
    }

    func deleteDevices(of userID: User.ID) throws {
        try collection(.devices).deleteMany(["user": .id(userID)], in: transaction)
    }
}
