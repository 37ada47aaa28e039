import Domain
import GRDB

extension Database: ExternalIdentityRows {
    func identity(issuer: String, subject: String) throws -> ExternalIdentity? {
        try first(
            "SELECT user FROM externalIdentities WHERE issuer = ? AND subject = ?", [issuer, subject]
        ) { ExternalIdentity(issuer: issuer, subject: subject, userID: try $0.parsed()) }
    }

    func identities(of userID: User.ID) throws -> [ExternalIdentity] {
        try rows(
            "SELECT issuer, subject FROM externalIdentities WHERE user = ? ORDER BY issuer, subject",
            [userID.description]
        ) { ExternalIdentity(issuer: $0.value(), subject: $0.value(), userID: userID) }
    }
}

extension Database: ExternalIdentityChanges {
    func insert(_ identity: ExternalIdentity) throws {
        try change(
            "INSERT INTO externalIdentities (issuer, subject, user) VALUES (?, ?, ?)",
            [identity.issuer, identity.subject, identity.userID.description])
    }
}
