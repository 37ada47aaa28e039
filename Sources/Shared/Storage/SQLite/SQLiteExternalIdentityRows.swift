import Domain
import GRDB

extension Database: ExternalIdentityRows {
    func identity(issuer: String, subject: String) throws -> ExternalIdentity? {
        try first(
            "SELECT user, emailMark FROM externalIdentities WHERE issuer = ? AND subject = ?", [issuer, subject]
        ) {
            ExternalIdentity(
                issuer: issuer, subject: subject, userID: try $0.parsed(), emailMark: $0.optional(as: String.self))
        }
    }

    func identities(of userID: User.ID) throws -> [ExternalIdentity] {
        try rows(
            "SELECT issuer, subject, emailMark FROM externalIdentities WHERE user = ? ORDER BY issuer, subject",
            [userID.description]
        ) {
            ExternalIdentity(
                issuer: $0.value(), subject: $0.value(), userID: userID, emailMark: $0.optional(as: String.self))
        }
    }
}

extension Database: ExternalIdentityChanges {
    func insert(_ identity: ExternalIdentity) throws {
        try change(
            "INSERT INTO externalIdentities (issuer, subject, user, emailMark) VALUES (?, ?, ?, ?)",
            [identity.issuer, identity.subject, identity.userID.description, identity.emailMark])
    }

    func setEmailMark(_ mark: String, ofIssuer issuer: String, subject: String) throws {
        try change(
            "UPDATE externalIdentities SET emailMark = ? WHERE issuer = ? AND subject = ?", [mark, issuer, subject])
    }

    func deleteIdentities(of userID: User.ID) throws {
        try change("DELETE FROM externalIdentities WHERE user = ?", [userID.description])
    }
}
