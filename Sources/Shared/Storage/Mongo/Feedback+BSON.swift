import Mongo

extension StoredFeedback {
    /// The stored form in `feedback`: it contains no author and no time.
    func document(in sprint: Sprint.Key) -> BSONDocument {
        let (field, value): (String, BSONValue) =
            switch content {
            case .plain(let text): ("text", .string(text))
            case .sealed(let sealed): ("sealed", .binary(sealed.bytes))
            }
        return [
            "_id": .id(id), "team": .id(sprint.teamID), "start": .date(sprint.start), "snapshot": .int(snapshot),
            field: value,
        ]
    }

    /// Parses the result of `document`.
    init(_ document: BSONDocument) throws {
        let content: Content =
            if document["sealed"] != nil {
                .sealed(SealedFeedback(stored: try document.bytes("sealed")))
            } else {
                .plain(try document.text("text"))
            }
        self.init(id: try document.parsed("_id"), snapshot: try document.int("snapshot"), content: content)
    }
}

extension Receipt {
    /// The stored form in `userSprints`: the keyed id, and the sprint, by which receipts are removed.
    /// - Parameter isCounted: whether it represents a ballot of the tally.
    func document(isCounted: Bool = true) -> BSONDocument {
        var document: BSONDocument = [
            "_id": .binary(bytes), "team": .id(sprint.teamID), "start": .date(sprint.start),
        ]
        if !isCounted { document.append("extra", true) }
        return document
    }
}

extension BSONDocument {
    /// Matches the existing ones among these receipts. The filter includes team and start, so that the index on the
    /// three is used: for several `_id` alone, MongoDB 6 reads the whole of a clustered collection.
    static func among(_ receipts: some Collection<Receipt>) -> BSONDocument {
        let sprints = Set(receipts.map(\.sprint))
        return among(sprints, and: ["_id": .among(receipts.map { .binary($0.bytes) })])
    }

    /// Documents of the sprints by `team` and `start`, for which there is an index; it may find others of the same
    /// teams.
    static func among(_ sprints: Set<Sprint.Key>, and conditions: BSONDocument = [:]) -> BSONDocument {
        var filter: BSONDocument = [
            "team": .among(Set(sprints.map(\.teamID)).map(BSONValue.id)),
            "start": .among(Set(sprints.map(\.start)).map { .date($0) }),
        ]
        for (field, condition) in conditions { filter.append(field, condition) }
        return filter
    }
}
