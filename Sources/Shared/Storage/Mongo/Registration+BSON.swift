import Mongo

extension Registration {
    /// As it is kept in `registrations`: under the folded address, so that another one takes its place.
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

    /// Reads what `document` wrote.
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
