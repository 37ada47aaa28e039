import Domain
import Mongo

extension Device {
    /// The stored form in `devices`, with the hash that makes its address unique.
    var document: BSONDocument {
        let stored = StoredDeviceAddress(address)
        var document: BSONDocument = [
            "_id": .id(id),
            "user": .id(userID),
            "service": .string(stored.service.rawValue),
            "token": .string(stored.token),
            "addressHash": .binary(stored.hash),
            "platform": .string(platform.rawValue),
            "locale": .string(locale),
            "refreshed": .string(refreshed.description),
        ]
        document.appendIfPresent("session", sessionID.map(BSONValue.id))
        document.appendIfPresent("publicKey", stored.publicKey.map(BSONValue.binary))
        document.appendIfPresent("authenticationSecret", stored.authenticationSecret.map(BSONValue.binary))
        document.appendIfPresent("appVersion", appVersion.map(BSONValue.string))
        return document
    }

    /// Parses the result of `document`.
    init(_ document: BSONDocument) throws {
        let stored = StoredDeviceAddress(
            service: try document.choice("service"), token: try document.text("token"),
            publicKey: document["publicKey"]?.binaryValue,
            authenticationSecret: document["authenticationSecret"]?.binaryValue)
        guard let address = stored.address else { throw UnreadableDocument(field: "publicKey") }
        self.init(
            id: try document.parsed("_id"),
            userID: try document.parsed("user"),
            sessionID: document["session"]?.stringValue.flatMap(Session.ID.init),
            address: address,
            platform: try document.choice("platform"),
            appVersion: document["appVersion"]?.stringValue,
            locale: try document.text("locale"),
            refreshed: try document.parsed("refreshed"))
    }
}
