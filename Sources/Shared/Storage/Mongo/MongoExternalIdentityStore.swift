import Mongo

/// `ExternalIdentityStore` on the collection `externalIdentities`.
struct MongoExternalIdentityStore: ExternalIdentityStore {
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

    func insert(_ identity: ExternalIdentity, enqueueing job: Job?) async throws {
        try await connection.run { database in
            do {
                try database.boundedTransaction { transaction in
                    // A write instead of a read: if this races with the user's deletion, one gets a write conflict, so
                    // that no identity remains without its user.
                    let user = try database.collection(.users).updateOne(
                        ["_id": .id(identity.userID)], ["$inc": ["identityChanges": 1]], in: transaction)
                    guard user.matched == 1 else { throw AppError.noSuchUser }
                    try database.collection(.externalIdentities).insertOne(identity.document, in: transaction)
                    if let job { try database.collection(.jobs).insertOne(job.document, in: transaction) }
                }
            } catch let error as MongoError where error.kind == .duplicateKey {
                throw AppError.identityTaken
            }
        }
    }
}
