import Domain
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
    /// - Parameters:
    ///   - isCounted: whether it represents a ballot of the tally, or a paper.
    ///   - mark: of the request for a paper; `nil` for a plain ballot.
    func document(isCounted: Bool = true, mark: [UInt8]? = nil) -> BSONDocument {
        var document: BSONDocument = [
            "_id": .binary(bytes), "team": .id(sprint.teamID), "start": .date(sprint.start),
        ]
        if !isCounted { document.append("extra", true) }
        document.appendIfPresent("paper", mark.map(BSONValue.binary))
        return document
    }
}

extension SpentPaper {
    /// The stored form in `spentPapers`: it contains no time.
    /// - Parameter snapshot: the number of the snapshot that its ballot is part of.
    func document(snapshot: Int) -> BSONDocument {
        var document: BSONDocument = [
            "_id": .binary(hash), "team": .id(sprint.teamID), "start": .date(sprint.start), "snapshot": .int(snapshot),
        ]
        document.appendIfPresent("paper", (signed?.paper.bytes).map(BSONValue.binary))
        document.appendIfPresent("signature", (signed?.signature).map(BSONValue.binary))
        return document
    }

    /// Parses the result of `document`; one of version 0.1.0 has neither paper nor signature.
    init(_ document: BSONDocument, sprint: Sprint.Key) throws {
        let paper = document["paper"]?.binaryValue.flatMap { BallotPaper(bytes: $0) }
        let signature = document["signature"]?.binaryValue
        self.init(
            stored: try document.bytes("_id"),
            signed: paper.flatMap { paper in signature.map { SignedPaper(paper, signature: $0) } },
            sprint: sprint)
    }
}

extension StoredCommitment {
    /// The stored form in `commitments`: it contains no time.
    func document(in sprint: Sprint.Key) -> BSONDocument {
        [
            "_id": .binary(bytes), "team": .id(sprint.teamID), "start": .date(sprint.start), "snapshot": .int(snapshot),
        ]
    }
}

extension PaperCounts {
    /// The field `papers` of a sprint's document.
    var document: BSONDocument { ["issued": .int(issued), "spent": .int(spent)] }

    /// Parses the field of a sprint's document; a sprint of an older version has none.
    init(_ document: BSONDocument) {
        let papers = document["papers"]?.documentValue
        self.init(issued: papers?["issued"]?.intValue ?? 0, spent: papers?["spent"]?.intValue ?? 0)
    }
}

extension BSONDocument {
    /// Matches the existing ones among these receipts. The filter includes team and start, so that the index on the
    /// three is used: for several `_id` alone, MongoDB 6 reads the whole of a clustered collection.
    static func among(_ receipts: some Collection<Receipt>) -> BSONDocument {
        let sprints = Set(receipts.map(\.sprint))
        return among(sprints, and: ["_id": .among(receipts.map { .binary($0.bytes) })])
    }

    /// Matches the existing ones among these papers, likewise.
    static func among(_ papers: some Collection<SpentPaper>) -> BSONDocument {
        among(Set(papers.map(\.sprint)), and: ["_id": .among(papers.map { .binary($0.hash) })])
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
