import Domain
import Mongo

extension Invitation {
    /// The stored form in `invitations`, with the folded key for uniqueness and order.
    var document: BSONDocument {
        var document: BSONDocument = [
            "_id": .id(id),
            "email": .string(email),
            "foldedEmail": .string(EmailAddress.folded(email)),
            "role": .string(role.rawValue),
            "teamRole": .string(teamRole.rawValue),
            "locale": .string(locale),
            "sent": .string(sent.description),
        ]
        document.appendIfPresent("team", teamID.map(BSONValue.id))
        document.appendIfPresent("inviter", inviterID.map(BSONValue.id))
        return document
    }

    /// Parses the result of `document`.
    init(_ document: BSONDocument) throws {
        self.init(
            id: try document.parsed("_id"),
            email: try document.text("email"),
            role: try document.choice("role"),
            teamID: document["team"]?.stringValue.flatMap(Team.ID.init),
            teamRole: try document.choice("teamRole"),
            locale: try document.text("locale"),
            inviterID: document["inviter"]?.stringValue.flatMap(User.ID.init),
            sent: try document.parsed("sent"))
    }
}
