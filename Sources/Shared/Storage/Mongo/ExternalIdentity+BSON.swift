import Mongo

extension ExternalIdentity {
    /// As it is kept in `externalIdentities`.
    var document: BSONDocument {
        ["_id": Self.documentID(issuer: issuer, subject: subject), "user": .id(userID)]
    }

    /// Reads what `document` wrote.
    init(_ document: BSONDocument) throws {
        let id = try document.document("_id")
        self.init(issuer: try id.text("issuer"), subject: try id.text("subject"), userID: try document.parsed("user"))
    }

    /// The key, compared with the fields in this order.
    static func documentID(issuer: String, subject: String) -> BSONValue {
        ["issuer": .string(issuer), "subject": .string(subject)]
    }
}
