import Mongo

/// `ExternalIdentityStore` on the collection `externalIdentities`.
struct MongoExternalIdentityStore: MongoTransactions, ExternalIdentityStore {
    let connection: MongoConnection

    func find(issuer: String, subject: String) async throws -> ExternalIdentity? {
        try await connection.run { database in
            try database.collection(.externalIdentities)
                .findOne(["_id": ExternalIdentity.documentID(issuer: issuer, subject: subject)])
                .map(ExternalIdentity.init)
        }
    }

    func list(userID: User.ID) async throws -> [ExternalIdentity] {
        try await connection.run { database in
            try database.collection(.externalIdentities)
                .find(["user": .id(userID)], sort: ["_id": 1])
                .map(ExternalIdentity.init)
        }
    }
}

extension MongoRows: ExternalIdentityRows {
    func contains(_ identity: ExternalIdentity) throws -> Bool {
        let id = ExternalIdentity.documentID(issuer: identity.issuer, subject: identity.subject)
        return try collection(.externalIdentities).findOne(["_id": id], in: transaction) != nil
    }

    func insert(_ identity: ExternalIdentity) throws {
        try collection(.externalIdentities).insertOne(identity.document, in: transaction)
    }
}
