import Mongo

/// `DeviceStore` on the collection `devices`.
struct MongoDeviceStore: DeviceStore {
    let connection: MongoConnection

    /// Members whose devices are looked for in one read: with their ids, 32 characters each, far from the 16 MB of a
    /// command.
    private static let membersPerRead = 5_000

    func register(_ device: Device, limit: Int) async throws -> Device {
        try await connection.run { database in
            let known = try database.device(at: device.address)
            if let known, known == device.identified(as: known.id) { return known }
            do {
                return try database.register(device, limit: limit)
            } catch let error as MongoError where error.kind == .duplicateKey {
                // Two first registrations raced to insert; now the device is there.
                return try database.register(device, limit: limit)
            }
        }
    }

    func list(userID: User.ID) async throws -> [Device] {
        try await connection.run { database in
            try database.collection(.devices).find(["user": .id(userID)], sort: ["_id": 1]).map(Device.init)
        }
    }

    func list(teamID: Team.ID, after: Device.ID?, through: Device.ID?, limit: Int) async throws -> [Device] {
        guard limit > 0 else { return [] }
        return try await connection.run { database in
            var first: [Device] = []
            try database.forEachMemberPage(of: teamID, limit: Self.membersPerRead) { members in
                // Once there are enough, only those that would displace one of them.
                let bound = first.count == limit ? first.last?.id : through
                var filter: BSONDocument = ["user": .among(members)]
                filter.appendIfPresent("_id", BSONValue.range(after: after, through: bound))
                let found = try database.collection(.devices)
                    .find(filter, sort: ["_id": 1], limit: limit)
                    .map(Device.init)
                first = Array((first + found).sorted { $0.id < $1.id }.prefix(limit))
            }
            return first
        }
    }

    func owners(among userIDs: [User.ID]) async throws -> Set<User.ID> {
        try await connection.run { database in
            let owners = try database.collection(.devices).aggregate([
                ["$match": ["user": .among(userIDs.map(BSONValue.id))]], ["$group": ["_id": "$user"]],
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
    /// A bit that is flipped: a count would tell how often somebody registers.
    private static let deviceChange: BSONDocument = ["$bit": ["deviceChanges": ["xor": .int(1)]]]

    fileprivate func device(at address: Device.Address, in transaction: MongoTransaction? = nil) throws -> Device? {
        try collection(.devices)
            .findOne(["addressHash": .binary(StoredDeviceAddress(address).hash)], in: transaction)
            .map(Device.init)
    }

    /// - Throws: `MongoError` of kind `duplicateKey` if another first registration of the address was faster.
    fileprivate func register(_ device: Device, limit: Int) throws -> Device {
        try boundedTransaction { transaction in
            let devices = collection(.devices)
            // Writes, not looks: of this and the end of the session, or of the account, one has a write conflict, is
            // repeated, and sees what the other did. The user's also keeps two new devices from passing the limit.
            if let sessionID = device.sessionID {
                let session = try collection(.sessions).updateOne(
                    ["_id": .id(sessionID), "user": .id(device.userID)], Self.deviceChange, in: transaction)
                guard session.matched == 1 else { throw AppError.sessionEnded }
            }
            let user = try collection(.users).updateOne(
                ["_id": .id(device.userID)], Self.deviceChange, in: transaction)
            guard user.matched == 1 else { throw AppError.noSuchUser }

            let known = try self.device(at: device.address, in: transaction)
            if let known, known.userID == device.userID {
                let refreshed = device.identified(as: known.id)
                try devices.replaceOne(["_id": .id(known.id)], refreshed.document, in: transaction)
                return refreshed
            }
            guard try devices.count(["user": .id(device.userID)], in: transaction) < limit else {
                throw AppError.tooManyDevices
            }
            if let known { try devices.deleteOne(["_id": .id(known.id)], in: transaction) }
            try devices.insertOne(device.document, in: transaction)
            return device
        }
    }

    /// Hands over the ids of a team's members, `limit` at a time: a read of an index alone.
    fileprivate func forEachMemberPage(
        of teamID: Team.ID, limit: Int, _ body: (_ members: [BSONValue]) throws -> Void
    ) throws {
        var filter: BSONDocument = ["team": .id(teamID)]
        while true {
            let members = try collection(.memberships)
                .find(filter, sort: ["user": 1], projection: ["_id": 0, "user": 1], limit: limit)
                .map { BSONValue.string(try $0.text("user")) }
            if !members.isEmpty { try body(members) }
            guard let last = members.last, members.count == limit else { return }
            filter = ["team": .id(teamID), "user": ["$gt": last]]
        }
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
