import Domain
import Mongo

extension User {
    /// The stored form in `users`, with the folded keys for uniqueness and login.
    var document: BSONDocument {
        var document: BSONDocument = [
            "_id": .id(id),
            "name": .string(name),
            "foldedName": .string(UserName.folded(name)),
            "email": .string(email),
            "foldedEmail": .string(EmailAddress.folded(email)),
            "role": .string(role.rawValue),
            "isDisabled": .bool(isDisabled),
            "locale": .string(locale),
            "notifications": .document(notifications.document),
            "createdOn": .string(createdOn.description),
            "passwordIsHandedOut": .bool(passwordIsHandedOut),
            "searchText": .string(searchText),
        ]
        document.appendIfPresent("displayName", displayName.map(BSONValue.string))
        document.appendIfPresent("pendingEmail", pendingEmail.map(BSONValue.string))
        document.appendIfPresent("passwordHash", passwordHash.map(BSONValue.string))
        document.appendIfPresent("defaultTeam", defaultTeamID.map(BSONValue.id))
        document.appendIfPresent("addressFault", addressFault.map { .document($0.document) })
        document.appendIfPresent("picture", picture.map { .document($0.document) })
        document.appendIfPresent("emailSetOn", emailSetOn.map { .string($0.description) })
        return document
    }

    /// Parses the result of `document`; older documents have no `passwordIsHandedOut`.
    init(_ document: BSONDocument) throws {
        self.init(
            stored: try document.parsed("_id"),
            name: try document.text("name"),
            displayName: document["displayName"]?.stringValue,
            email: try document.text("email"),
            pendingEmail: document["pendingEmail"]?.stringValue,
            role: try document.choice("role"),
            passwordHash: document["passwordHash"]?.stringValue,
            isDisabled: try document.bool("isDisabled"),
            defaultTeamID: document["defaultTeam"]?.stringValue.flatMap(Team.ID.init),
            locale: try document.text("locale"),
            notifications: try NotificationSettings(document.document("notifications")),
            picture: try document["picture"]?.documentValue.map(ProfilePicture.init),
            createdOn: try document.parsed("createdOn"),
            addressFault: try document["addressFault"]?.documentValue.map(AddressFault.init),
            emailSetOn: document["emailSetOn"]?.stringValue.flatMap { CalendarDay($0) },
            passwordIsHandedOut: document["passwordIsHandedOut"]?.boolValue ?? false)
    }
}

extension NotificationSettings {
    /// The stored form in a user's document.
    fileprivate var document: BSONDocument {
        var document: BSONDocument = ["push": .bool(push), "mail": .bool(mail), "results": .bool(results)]
        document.appendIfPresent("hour", hour.map(BSONValue.int))
        // Missing for most, so that a sparse index finds the others.
        if !daysOff.isEmpty { document.append("daysOff", .weekdays(daysOff)) }
        return document
    }

    /// Parses the result of `document`; older documents have no `results`.
    fileprivate init(_ document: BSONDocument) throws {
        self.init(
            push: try document.bool("push"), mail: try document.bool("mail"),
            results: document["results"]?.boolValue ?? false, hour: document["hour"]?.intValue,
            daysOff: document["daysOff"] == nil ? [] : try document.weekdays("daysOff"))
    }
}

extension AddressFault {
    /// The stored form in a user's document.
    fileprivate var document: BSONDocument {
        ["kind": .string(kind.rawValue), "since": .string(since.description)]
    }

    /// Parses the result of `document`.
    fileprivate init(_ document: BSONDocument) throws {
        self.init(kind: try document.choice("kind"), since: try document.parsed("since"))
    }
}

extension ProfilePicture {
    /// The stored form in a user's document.
    fileprivate var document: BSONDocument {
        ["id": .id(id), "uploadedAt": .date(uploadedAt)]
    }

    /// Parses the result of `document`.
    fileprivate init(_ document: BSONDocument) throws {
        self.init(id: try document.parsed("id"), uploadedAt: try document.date("uploadedAt"))
    }
}
