import Mongo

extension Feedback {
    /// A new feedback as it is kept in `feedback`, under a random id: nothing in it says who or when.
    static func document(text: FeedbackText, sprint: Sprint.Key, snapshot: Int) -> BSONDocument {
        [
            "_id": .id(Feedback.ID.random()),
            "team": .id(sprint.teamID),
            "start": .date(sprint.start),
            "snapshot": .int(snapshot),
            "text": .string(text.text),
        ]
    }

    /// Reads what `document` made.
    init(_ document: BSONDocument) throws {
        self.init(id: try document.parsed("_id"), text: try document.text("text"))
    }
}

extension Receipt {
    /// As it is kept in `userSprints`: the keyed id, and the sprint, by which receipts could be split and removed.
    func document(sprint: Sprint.Key) -> BSONDocument {
        ["_id": .binary(bytes), "team": .id(sprint.teamID), "start": .date(sprint.start)]
    }
}
