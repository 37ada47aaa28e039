import Domain
import Foundation
import Mongo

/// `BallotKeyStore` on the collections `ballotKeys` and `spentPapers`.
struct MongoBallotKeyStore: BallotKeyStore {
    let connection: MongoConnection

    func key(of sprint: Sprint.Key) async throws -> StoredBallotKey? {
        try await connection.run { try $0.ballotKey(.of(sprint), in: nil) }
    }

    func key(id: BallotKey.ID) async throws -> StoredBallotKey? {
        try await connection.run { try $0.ballotKey(["_id": .binary(id.bytes)], in: nil) }
    }

    func insert(_ stored: StoredBallotKey) async throws -> StoredBallotKey? {
        let sprint = stored.key.sprint
        return try await connection.run { database in
            try database.boundedTransaction { transaction in
                // Written before it is read: processes that make a key at once collide here, and so does the close.
                let isOpen =
                    try database.collection(.happiness).updateOne(
                        .sprint(sprint, and: ["closed": false]), ["$bit": ["lock": ["xor": .int(1)]]], in: transaction
                    ).matched == 1
                if let present = try database.ballotKey(.of(sprint), in: transaction) { return present }
                guard isOpen else { return nil }
                try database.collection(.ballotKeys).insertOne(stored.document, in: transaction)
                return stored
            }
        }
    }

    func takesKey(_ sprint: Sprint.Key) async throws -> Bool {
        try await connection.run { database in
            let open = BSONDocument.sprint(sprint, and: ["closed": false])
            return try database.collection(.happiness).findOne(open, projection: ["_id": 1]) != nil
        }
    }

    func isSpent(_ paper: SpentPaper) async throws -> Bool {
        try await connection.run { database in
            try database.collection(.spentPapers).findOne(.among([paper]), projection: ["_id": 1]) != nil
        }
    }

    func spentPapers(of sprint: Sprint.Key, publishedNumber: Int) async throws -> [SpentPaper] {
        var filter = BSONDocument.of(sprint)
        filter.append("snapshot", ["$lte": .int(publishedNumber)])
        let published = filter
        return try await connection.run { database in
            try database.collection(.spentPapers).find(published, sort: ["_id": 1])
                .map { try SpentPaper($0, sprint: sprint) }
        }
    }
}

extension MongoDatabase {
    fileprivate func ballotKey(_ filter: BSONDocument, in transaction: MongoTransaction?) throws -> StoredBallotKey? {
        try collection(.ballotKeys).findOne(filter, in: transaction).map(StoredBallotKey.init)
    }
}

extension BSONDocument {
    /// Documents of one sprint by `team` and `start`.
    static func of(_ sprint: Sprint.Key) -> BSONDocument {
        ["team": .id(sprint.teamID), "start": .date(sprint.start)]
    }

    /// The sprint's document in `happiness` if it has these fields too. It names the team, which is the key of a sharded
    /// collection, and the start, so that the server need not look at the team's other sprints.
    static func sprint(_ key: Sprint.Key, and fields: BSONDocument = [:]) -> BSONDocument {
        var filter: BSONDocument = [
            "_id": .string(key.documentID), "team": .id(key.teamID), "start": .date(key.start),
        ]
        for (field, value) in fields { filter.append(field, value) }
        return filter
    }
}

extension StoredBallotKey {
    fileprivate var document: BSONDocument {
        var document: BSONDocument = [
            "_id": .binary(key.id.bytes), "team": .id(key.sprint.teamID), "start": .date(key.sprint.start),
            "publicKey": .binary(key.publicKey),
        ]
        document.appendIfPresent("privateKey", wrappedPrivateKey.map(BSONValue.binary))
        return document
    }

    fileprivate init(_ document: BSONDocument) throws {
        let sprint = try Sprint.Key(document)
        self.init(
            key: BallotKey(sprint: sprint, publicKey: try document.bytes("publicKey")),
            wrappedPrivateKey: document["privateKey"]?.binaryValue)
    }
}
