import Domain
import Mongo

extension Team {
    /// The stored form in `teams`, with the folded name for uniqueness and order.
    var document: BSONDocument {
        var document: BSONDocument = [
            "_id": .id(id),
            "name": .string(name),
            "foldedName": .string(UserName.folded(name)),
            "settings": .document(settings.document),
            "memberCount": .int(memberCount),
            "publicationNumber": .int(publicationNumber),
            "searchText": .string(NameSearch.text(of: [name])),
        ]
        document.appendIfPresent("shareTokenHash", shareTokenHash.map(BSONValue.binary))
        return document
    }

    /// Parses the result of `document`.
    init(_ document: BSONDocument) throws {
        self.init(
            id: try document.parsed("_id"),
            name: try document.text("name"),
            settings: try TeamSettings(document.document("settings")),
            memberCount: try document.int("memberCount"),
            publicationNumber: try document.int("publicationNumber"),
            shareTokenHash: document["shareTokenHash"]?.binaryValue)
    }
}

extension TeamSettings {
    /// The field `settings` of a team.
    var document: BSONDocument {
        [
            "calendar": .string(calendar.description),
            "timeZone": .string(timeZone),
            "threshold": .int(threshold),
            "policy": .string(policy.rawValue),
            "graceDays": .int(graceDays),
            "feedbackReaders": .string(feedbackReaders.rawValue),
            "ballots": .string(ballots.rawValue),
            "actionAuthors": .string(actionAuthors.rawValue),
        ]
    }

    /// Parses the result of `document`.
    init(_ document: BSONDocument) throws {
        self.init(
            calendar: try document.parsed("calendar"),
            timeZone: try document.text("timeZone"),
            threshold: try document.int("threshold"),
            policy: try document.choice("policy"),
            graceDays: try document.int("graceDays"),
            feedbackReaders: try document.choice("feedbackReaders"),
            // Both are missing in documents of older versions.
            ballots: document["ballots"] == nil ? .any : try document.choice("ballots"),
            actionAuthors: document["actionAuthors"] == nil ? .team : try document.choice("actionAuthors"))
    }
}

extension Membership {
    /// The key of a membership: both ids, so that a lookup by team and user is one by `_id`.
    static func documentID(of userID: User.ID, in teamID: Team.ID) -> String {
        "\(teamID)|\(userID)"
    }

    /// The stored form in `memberships`.
    var document: BSONDocument {
        [
            "_id": .string(Self.documentID(of: userID, in: teamID)),
            "team": .id(teamID),
            "user": .id(userID),
            "role": .string(role.rawValue),
        ]
    }

    /// Parses the result of `document`.
    init(_ document: BSONDocument) throws {
        self.init(
            teamID: try document.parsed("team"),
            userID: try document.parsed("user"),
            role: try document.choice("role"))
    }
}
