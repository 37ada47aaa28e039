import Domain
import Mongo

extension Job {
    /// The stored form in `jobs`.
    var document: BSONDocument {
        var document: BSONDocument = [
            "_id": .id(id),
            "kind": .string(kind),
            "payload": .string(payload),
            "state": .string(state.rawValue),
            "runAt": .date(runAt),
            "since": .date(since),
            "attempts": .int(attempts),
        ]
        document.appendIfPresent("dedupeKey", dedupeKey.map(BSONValue.string))
        document.appendIfPresent("leaseOwner", leaseOwner.map(BSONValue.string))
        document.appendIfPresent("leaseUntil", leaseUntil.map { .date($0) })
        document.appendIfPresent("lastError", lastError.map(BSONValue.string))
        return document
    }

    /// Parses the result of `document`.
    init(_ document: BSONDocument) throws {
        self.init(
            id: try document.parsed("_id"),
            kind: try document.text("kind"),
            payload: try document.text("payload"),
            dedupeKey: document["dedupeKey"]?.stringValue,
            state: try document.choice("state"),
            runAt: try document.date("runAt"),
            // Missing in jobs of 0.1.0: they count from their latest attempt.
            since: document["since"]?.dateValue,
            attempts: try document.int("attempts"),
            leaseOwner: document["leaseOwner"]?.stringValue,
            leaseUntil: document["leaseUntil"]?.dateValue,
            lastError: document["lastError"]?.stringValue)
    }
}
