import Domain
import Mongo

extension Registration {
    /// The stored form in `registrations`: keyed by the folded address, so that a new registration replaces it.
    var document: BSONDocument {
        [
            "_id": .string(EmailAddress.folded(email)),
            "id": .id(id),
            "name": .string(name),
            "email": .string(email),
            "passwordHash": .string(passwordHash),
            "role": .string(role.rawValue),
            "locale": .string(locale),
            "expires": .date(expires),
        ]
    }

    /// Parses the result of `document`.
    init(_ document: BSONDocument) throws {
        self.init(
            id: try document.parsed("id"),
            name: try document.text("name"),
            email: try document.text("email"),
            passwordHash: try document.text("passwordHash"),
            role: try document.choice("role"),
            locale: try document.text("locale"),
            expires: try document.date("expires"))
    }
}
