import Domain
import Mongo

extension Session {
    /// The stored form in `sessions`.
    var document: BSONDocument {
        var document: BSONDocument = [
            "_id": .id(id),
            "user": .id(userID),
            "device": .string(device),
            "expires": .date(expires),
            "lastUsed": .string(lastUsed.description),
            "seed": .binary(seed),
            "generation": .int(generation),
        ]
        document.appendIfPresent("repeatUntil", repeatUntil.map { .date($0) })
        return document
    }

    /// Parses the result of `document`.
    init(_ document: BSONDocument) throws {
        self.init(
            id: try document.parsed("_id"),
            userID: try document.parsed("user"),
            device: try document.text("device"),
            expires: try document.date("expires"),
            lastUsed: try document.parsed("lastUsed"),
            seed: try document.bytes("seed"),
            generation: try document.int("generation"),
            repeatUntil: document["repeatUntil"]?.dateValue)
    }
}

extension LoginFailures {
    /// Reads a document of `loginFailures`.
    init(_ document: BSONDocument) throws {
        self.init(count: try document.int("count"), last: try document.date("last"))
    }
}
