import Domain
import Foundation
import Mongo

extension Delivery {
    /// Whether its occasion allows only one delivery.
    var isUnique: Bool { occasion.kind.dependsOnVotes }

    /// The stored form in `deliveries`. `isReminder` restricts the unique index to reminders.
    var document: BSONDocument {
        var document: BSONDocument = [
            "_id": .id(id),
            "team": .id(occasion.sprint.teamID),
            "start": .date(occasion.sprint.start),
            "kind": .string(occasion.kind.rawValue),
            "day": .string(occasion.day.description),
            "isReminder": .bool(isUnique),
            "state": .string(state.rawValue),
            "begun": .date(begun),
        ]
        document.appendIfPresent("hour", occasion.hour.map(BSONValue.int))
        document.appendIfPresent("trouble", trouble.map { .string($0.rawValue) })
        document.appendIfPresent("title", text.map { .string($0.title) })
        document.appendIfPresent("body", text.map { .string($0.body) })
        document.appendIfPresent("requestedBy", requestedBy.map(BSONValue.id))
        return document
    }

    /// Parses the result of `document`.
    init(_ document: BSONDocument) throws {
        var text: Text?
        if let title = document["title"]?.stringValue, let body = document["body"]?.stringValue {
            text = Text(title: title, body: body)
        }
        self.init(
            id: try document.parsed("_id"),
            occasion: Occasion(
                sprint: try Sprint.Key(document),
                kind: try document.choice("kind"),
                day: try document.parsed("day"),
                hour: document["hour"]?.intValue),
            state: try document.choice("state"),
            begun: try document.date("begun"),
            trouble: document["trouble"]?.stringValue.flatMap { Trouble(rawValue: $0) },
            text: text,
            requestedBy: document["requestedBy"]?.stringValue.flatMap { User.ID($0) })
    }
}

extension DeliveryBatch.Key {
    /// `_id` in `deliveryBatches`.
    var documentID: String { "\(deliveryID)|\(number)" }
}

extension DeliveryBatch {
    /// The stored form in `deliveryBatches`.
    var document: BSONDocument {
        let (word, after, through) = recipients.columns
        var document: BSONDocument = [
            "_id": .string(key.documentID),
            "delivery": .id(key.deliveryID),
            "number": .int(key.number),
            "recipients": .string(word),
            "counts": .binary(sealedCounts.bytes),
            "isDone": .bool(isDone),
        ]
        document.appendIfPresent("after", after.map(BSONValue.string))
        document.appendIfPresent("through", through.map(BSONValue.string))
        document.appendIfPresent("pending", sealedPending.map { .binary($0.bytes) })
        return document
    }

    /// Parses the result of `document`.
    init(_ document: BSONDocument) throws {
        self.init(
            key: Key(deliveryID: try document.parsed("delivery"), number: try document.int("number")),
            recipients: try Recipients(
                word: try document.text("recipients"), after: document["after"]?.stringValue,
                through: document["through"]?.stringValue),
            sealedCounts: SealedCounts(bytes: try document.bytes("counts")),
            sealedPending: document["pending"]?.binaryValue.map(SealedPending.init(bytes:)),
            isDone: try document.bool("isDone"))
    }
}
