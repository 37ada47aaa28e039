import Domain
import Foundation
import GRDB

extension Database: DeviceRows, DeviceWrites {
    func device(at address: Device.Address) throws -> Device? {
        try first(
            "SELECT \(Device.columns) FROM devices WHERE addressHash = ?", [Data(StoredDeviceAddress(address).hash)]
        ) { try Device(&$0) }
    }

    /// Members. As in MongoDB: for a larger team the devices are read in order, and their owners looked up.
    private static let smallTeam = 500

    func devices(of userID: User.ID) throws -> [Device] {
        try rows(
            "SELECT \(Device.columns) FROM devices WHERE user = ? ORDER BY id", [userID.description]
        ) { try Device(&$0) }
    }

    func devices(_ ids: [Device.ID]) throws -> [Device] {
        let list = try idList(ids)
        return try rows(
            "SELECT \(Device.columns) FROM devices WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id", [list]
        ) { try Device(&$0) }
    }

    func devices(in teamID: Team.ID, after: Device.ID?, through: Device.ID?, limit: Int) throws -> [Device] {
        // CROSS JOIN fixes the order: from the members to their devices, or from the devices in order to their
        // owners, which stops at the limit.
        let isLarge = try contains(
            "SELECT 1 FROM memberships WHERE team = ? LIMIT 1 OFFSET \(Self.smallTeam)", [teamID.description])
        let tables = isLarge ? "devices CROSS JOIN memberships" : "memberships CROSS JOIN devices"
        return try rows(
            """
            SELECT \(Device.columns(of: "devices")) FROM \(tables) ON devices.user = memberships.user
            WHERE memberships.team = ? AND devices.id > ? AND devices.id <= ?
            ORDER BY devices.id LIMIT ?
            """,
            [teamID.description, after?.description ?? "", through?.description ?? Self.afterEveryID, limit]
        ) { try Device(&$0) }
    }

    func deviceOwners(among userIDs: [User.ID], reachedBy services: Set<PushService>) throws -> Set<User.ID> {
        let encoder = JSONEncoder()
        let list = String(decoding: try encoder.encode(userIDs), as: UTF8.self)
        let serviceList = String(decoding: try encoder.encode(services), as: UTF8.self)
        let owners = try rows(
            """
            SELECT DISTINCT user FROM devices
            WHERE user IN (SELECT value FROM json_each(?)) AND service IN (SELECT value FROM json_each(?))
            """, [list, serviceList]
        ) { try $0.parsed(as: User.ID.self) }
        return Set(owners)
    }

    func deleteDevice(_ id: Device.ID, of userID: User.ID) throws -> Bool {
        try change(
            "DELETE FROM devices WHERE id = ? AND user = ?", [id.description, userID.description]) == 1
    }

    func deleteDevice(_ id: Device.ID, ifAddressIs address: Device.Address, refreshedBy day: CalendarDay?) throws {
        let hash = Data(StoredDeviceAddress(address).hash)
        try change(
            "DELETE FROM devices WHERE id = ?1 AND addressHash = ?2 AND (?3 IS NULL OR refreshed <= ?3)",
            [id.description, hash, day?.description])
    }

    func deleteStaleDevices(before day: CalendarDay) throws {
        try change("DELETE FROM devices WHERE refreshed < ?", [day.description])
    }

    /// Ids consist of hexadecimal digits, which all sort before it.
    private static let afterEveryID = "g"
}

extension Database: DeviceChanges {
    func insert(_ device: Device) throws {
        let address = StoredDeviceAddress(device.address)
        try change(
            """
            INSERT INTO devices (\(Device.columns), addressHash)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                device.id.description, device.userID.description, device.sessionID?.description,
                address.service.rawValue, address.token, address.publicKey.map { Data($0) },
                address.authenticationSecret.map { Data($0) }, device.platform.rawValue, device.appVersion,
                device.locale, device.refreshed.description, Data(address.hash),
            ])
    }

    func update(_ device: Device) throws {
        try delete(device)
        try insert(device)
    }

    func delete(_ device: Device) throws {
        try change("DELETE FROM devices WHERE id = ?", [device.id.description])
    }

    func deleteDevices(of userID: User.ID) throws {
        try change("DELETE FROM devices WHERE user = ?", [userID.description])
    }
}

extension Device {
    /// The columns in the order in which `init(_:)` reads them.
    fileprivate static let columns = columnNames.joined(separator: ", ")

    /// The same columns for a statement that joins several tables.
    fileprivate static func columns(of table: String) -> String {
        columnNames.map { "\(table).\($0)" }.joined(separator: ", ")
    }

    private static let columnNames = [
        "id", "user", "session", "service", "token", "publicKey", "authenticationSecret", "platform", "appVersion",
        "locale", "refreshed",
    ]

    fileprivate init(_ row: inout SQLiteRow) throws {
        let id = try row.parsed(as: Device.ID.self)
        let userID = try row.parsed(as: User.ID.self)
        let sessionID = try row.optionalParsed(as: Session.ID.self)
        let stored = StoredDeviceAddress(
            service: try row.named(), token: row.value(), publicKey: row.optionalBytes(),
            authenticationSecret: row.optionalBytes())
        guard let address = stored.address else {
            throw SQLiteStorageError("The store holds a browser's subscription without its keys.")
        }
        self.init(
            id: id, userID: userID, sessionID: sessionID, address: address, platform: try row.named(),
            appVersion: row.optional(), locale: row.value(), refreshed: try row.parsed())
    }
}
