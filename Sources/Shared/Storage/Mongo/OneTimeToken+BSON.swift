import Domain
import Mongo

extension OneTimeToken {
    /// The stored form in `oneTimeTokens`.
    var document: BSONDocument {
        [
            "_id": .binary(hash),
            "purpose": .string(purpose.rawValue),
            "subject": .string(subject),
            "email": .string(email),
            "expires": .date(expires),
        ]
    }

    /// Parses the result of `document`.
    init(_ document: BSONDocument) throws {
        self.init(
            hash: try document.bytes("_id"),
            purpose: try document.choice("purpose"),
            subject: try document.text("subject"),
            email: try document.text("email"),
            expires: try document.date("expires"))
    }
}
