import Domain
import Mongo

extension MongoRows: ExternalIdentityRows {
    func identity(issuer: String, subject: String) throws -> ExternalIdentity? {
        try collection(.externalIdentities)
            .findOne(["_id": ExternalIdentity.documentID(issuer: issuer, subject: subject)], in: transaction)
            .map(ExternalIdentity.init)
    }

    func identities(of userID: User.ID) throws -> [ExternalIdentity] {
        try collection(.externalIdentities)
            .find(["user": .id(userID)], sort: ["_id": 1], in: transaction)
            .map(ExternalIdentity.init)
    }
}

extension MongoRows: ExternalIdentityChanges {
    func insert(_ identity: ExternalIdentity) throws {
        try collection(.externalIdentities).insertOne(identity.document, in: transaction)
    }

    func setEmailMark(_ mark: String, ofIssuer issuer: String, subject: String) throws {
        try collection(.externalIdentities).updateOne(
            ["_id": ExternalIdentity.documentID(issuer: issuer, subject: subject)],
            ["$set": ["emailMark": .string(mark)]], in: transaction)
    }

    func deleteIdentities(of userID: User.ID) throws {
        try collection(.externalIdentities).deleteMany(["user": .id(userID)], in: transaction)
    }
}
