import Domain
import Mongo

extension ExternalIdentity {
    /// The stored form in `externalIdentities`.
    var document: BSONDocument {
        var document: BSONDocument = [
            "_id": Self.documentID(issuer: issuer, subject: subject), "user": .id(userID),
        ]
        document.appendIfPresent("emailMark", emailMark.map(BSONValue.string))
        return document
    }

    /// Parses the result of `document`.
    init(_ document: BSONDocument) throws {
        let id = try document.document("_id")
        self.init(
            issuer: try id.text("issuer"), subject: try id.text("subject"), userID: try document.parsed("user"),
            emailMark: document["emailMark"]?.stringValue)
    }

    /// The key. MongoDB compares its fields in this order.
    static func documentID(issuer: String, subject: String) -> BSONValue {
        ["issuer": .string(issuer), "subject": .string(subject)]
    }
}
