import Domain
import Mongo

extension MongoRows: DeviceRows, DeviceWrites {
    func device(at address: Device.Address) throws -> Device? {
        try collection(.devices)
            .findOne(["addressHash": .binary(StoredDeviceAddress(address).hash)], in: transaction)
            .map(Device.init)
    }

    /// Up to this team size, devices are found by their owners. For a larger team, devices are scanned in order and
    /// their owners looked up, so the cost of a read depends on its result, not on the size of the team.
    private static let smallTeam = 500

    func devices(of userID: User.ID) throws -> [Device] {
        try collection(.devices).find(["user": .id(userID)], sort: ["_id": 1], in: transaction).map(Device.init)
    }

    func devices(_ ids: [Device.ID]) throws -> [Device] {
        try collection(.devices)
            .find(["_id": .among(ids.map(BSONValue.id))], sort: ["_id": 1], in: transaction)
            .map(Device.init)
    }

    func devices(in teamID: Team.ID, after: Device.ID?, through: Device.ID?, limit: Int) throws -> [Device] {
        guard limit > 0 else { return [] }
        let members = try members(of: teamID, limit: Self.smallTeam + 1)
        guard members.count > Self.smallTeam else {
            return try devices(after: after, through: through, owners: members, limit: limit)
        }
        var found: [Device] = []
        var last = after
        while found.count < limit {
            let page = try devices(after: last, through: through, limit: limit)
            found += try devices(page, ofMembersOf: teamID)
            guard page.count == limit else { break }
            last = page.last?.id
        }
        return Array(found.prefix(limit))
    }

    func deviceOwners(among userIDs: [User.ID], reachedBy services: Set<PushService>) throws -> Set<User.ID> {
        let wanted: BSONDocument = [
            "user": .among(userIDs.map(BSONValue.id)),
            "service": .among(services.map { .string($0.rawValue) }),
        ]
        let owners = try collection(.devices).aggregate(
            [
                ["$match": .document(wanted)], ["$group": ["_id": "$user"]],
            ], in: transaction)
        return Set(try owners.map { try $0.parsed("_id") })
    }

    func deleteDevice(_ id: Device.ID, of userID: User.ID) throws -> Bool {
        try collection(.devices).deleteOne(["_id": .id(id), "user": .id(userID)], in: transaction) == 1
    }

    func deleteDevice(_ id: Device.ID, ifAddressIs address: Device.Address, refreshedBy day: CalendarDay?) throws {
        var filter: BSONDocument = ["_id": .id(id), "addressHash": .binary(StoredDeviceAddress(address).hash)]
        filter.appendIfPresent("refreshed", day.map { ["$lte": .string($0.description)] })
        try collection(.devices).deleteOne(filter, in: transaction)
    }

    func deleteStaleDevices(before day: CalendarDay) throws {
        try collection(.devices).deleteMany(["refreshed": ["$lt": .string(day.description)]], in: transaction)
    }
}

extension MongoRows {
    /// The ids of a team's first members, read from an index alone.
    private func members(of teamID: Team.ID, limit: Int) throws -> [BSONValue] {
        try collection(.memberships)
            .find(
                ["team": .id(teamID)], sort: ["user": 1], projection: ["_id": 0, "user": 1], limit: limit,
                in: transaction
            )
            .map { BSONValue.string(try $0.text("user")) }
    }

    /// Devices ordered by id.
    /// - Parameter owners: their owners; `nil` means any.
    private func devices(
        after: Device.ID?, through: Device.ID?, owners: [BSONValue]? = nil, limit: Int
    ) throws -> [Device] {
        var filter = BSONDocument()
        filter.appendIfPresent("user", owners.map(BSONValue.among))
        filter.appendIfPresent("_id", BSONValue.range(after: after, through: through))
        return try collection(.devices).find(filter, sort: ["_id": 1], limit: limit, in: transaction).map(Device.init)
    }

    /// The devices whose owners are in a team, in the given order.
    private func devices(_ devices: [Device], ofMembersOf teamID: Team.ID) throws -> [Device] {
        let ids = Set(devices.map { Membership.documentID(of: $0.userID, in: teamID) })
        let members = Set(
            try collection(.memberships)
                .find(["_id": .among(ids.map(BSONValue.string))], projection: ["_id": 1], in: transaction)
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

extension MongoRows: DeviceChanges {
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
