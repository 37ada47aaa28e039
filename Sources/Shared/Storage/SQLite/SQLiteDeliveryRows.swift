import Domain
import Foundation
import GRDB

extension Database: DeliveryRows, DeliveryWrites {
    func reminders(of sprint: Sprint.Key) throws -> [Delivery] {
        try rows(
            """
            SELECT \(Delivery.columns) FROM deliveries
            WHERE team = ? AND sprintStart = ? AND kind IN ('reminder', 'secondReminder') ORDER BY day, kind
            """,
            [sprint.teamID.description, sprint.start.seconds]
        ) { try Delivery(&$0) }
    }

    func reminders(of sprints: Set<Sprint.Key>) throws -> [Delivery] {
        try sprints.flatMap { try reminders(of: $0) }
    }

    func delivery(_ id: Delivery.ID) throws -> Delivery? {
        try first("SELECT \(Delivery.columns) FROM deliveries WHERE id = ?", [id.description]) {
            try Delivery(&$0)
        }
    }

    func deliveries(of teamID: Team.ID?, after: Delivery.Position?, limit: Int) throws -> [Delivery] {
        var conditions = ["hour IS NULL"]
        var arguments: SQLiteArguments = []
        if let teamID {
            conditions.append("team = ?")
            arguments += [teamID.description]
        }
        if let after {
            conditions.append("(day < ? OR (day = ? AND id > ?))")
            arguments += [after.day.description, after.day.description, after.id.description]
        }
        let (condition, values) = (conditions.joined(separator: " AND "), arguments + [limit])
        return try rows(
            "SELECT \(Delivery.columns) FROM deliveries WHERE \(condition) ORDER BY day DESC, id LIMIT ?", values
        ) { try Delivery(&$0) }
    }

    func deliveries(requestedBy userID: User.ID) throws -> [Delivery] {
        try rows(
            "SELECT \(Delivery.columns) FROM deliveries WHERE requestedBy = ? ORDER BY day, id",
            [userID.description]
        ) { try Delivery(&$0) }
    }

    func unfinishedDeliveries(limit: Int) throws -> [Delivery] {
        try rows(
            "SELECT \(Delivery.columns) FROM deliveries WHERE state = 'sending' ORDER BY begun, id LIMIT ?",
            [limit]
        ) { try Delivery(&$0) }
    }

    func expand(_ id: Delivery.ID, into batches: [DeliveryBatch]) throws -> [DeliveryBatch] {
        let earlier = try self.batches(of: id)
        guard earlier.isEmpty else { return earlier }
        for batch in batches {
            let (word, after, through) = batch.recipients.columns
            try change(
                "INSERT INTO deliveryBatches (\(DeliveryBatch.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    id.description, batch.key.number, word, after, through, Data(batch.sealedCounts.bytes),
                    batch.isDone, batch.sealedPending.map { Data($0.bytes) },
                ])
        }
        return batches
    }

    func batches(of id: Delivery.ID) throws -> [DeliveryBatch] {
        try rows(
            "SELECT \(DeliveryBatch.columns) FROM deliveryBatches WHERE delivery = ? ORDER BY number",
            [id.description]
        ) { try DeliveryBatch(&$0) }
    }

    func batch(_ key: DeliveryBatch.Key) throws -> DeliveryBatch? {
        try first(
            "SELECT \(DeliveryBatch.columns) FROM deliveryBatches WHERE delivery = ? AND number = ?",
            [key.deliveryID.description, key.number]
        ) { try DeliveryBatch(&$0) }
    }

    func advance(_ batch: DeliveryBatch, to next: DeliveryBatch) throws -> Bool {
        let (word, after, _) = batch.recipients.columns
        let (nextWord, nextAfter, nextThrough) = next.recipients.columns
        return try change(
            """
            UPDATE deliveryBatches
            SET recipients = ?, rangeAfter = ?, rangeThrough = ?, counts = ?, isDone = ?, pending = ?
            WHERE delivery = ? AND number = ? AND isDone = 0 AND recipients = ? AND rangeAfter IS ? AND counts = ?
            """,
            [
                nextWord, nextAfter, nextThrough, Data(next.sealedCounts.bytes), next.isDone,
                next.sealedPending.map { Data($0.bytes) },
                batch.key.deliveryID.description, batch.key.number, word, after, Data(batch.sealedCounts.bytes),
            ]) == 1
    }

    func finishDelivery(_ id: Delivery.ID) throws {
        try change(
            """
            UPDATE deliveries SET state = 'done' WHERE id = ?1 AND state = 'sending'
                AND EXISTS (SELECT 1 FROM deliveryBatches WHERE delivery = ?1)
                AND NOT EXISTS (SELECT 1 FROM deliveryBatches WHERE delivery = ?1 AND isDone = 0)
            """,
            [id.description])
    }

    func setTrouble(_ trouble: Delivery.Trouble, of id: Delivery.ID) throws {
        try change("UPDATE deliveries SET trouble = ? WHERE id = ?", [trouble.rawValue, id.description])
    }
}

extension Database: DeliveryChanges {
    func insert(_ deliveries: [Delivery]) throws {
        for delivery in deliveries { try insert(delivery) }
    }

    func delete(_ deliveries: [Delivery]) throws {
        for delivery in deliveries {
            try change("DELETE FROM deliveryBatches WHERE delivery = ?", [delivery.id.description])
            try change("DELETE FROM deliveries WHERE id = ?", [delivery.id.description])
        }
    }

    private func insert(_ delivery: Delivery) throws {
        let occasion = delivery.occasion
        try change(
            """
            INSERT INTO deliveries (
                id, team, sprintStart, kind, day, hour, state, begun, trouble, title, body, requestedBy
            ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                delivery.id.description, occasion.sprint.teamID.description, occasion.sprint.start.seconds,
                occasion.kind.rawValue, occasion.day.description, occasion.hour, delivery.state.rawValue,
                delivery.begun.milliseconds, delivery.trouble?.rawValue, delivery.text?.title, delivery.text?.body,
                delivery.requestedBy?.description,
            ])
    }
}

extension Delivery {
    /// The columns in the order in which `init(_:)` reads them.
    fileprivate static let columns =
        "id, team, sprintStart, kind, day, hour, state, begun, trouble, title, body, requestedBy"

    fileprivate init(_ row: inout SQLiteRow) throws {
        let id: ID = try row.parsed()
        let sprint = Sprint.Key(teamID: try row.parsed(), start: row.second())
        let occasion = Occasion(sprint: sprint, kind: try row.named(), day: try row.parsed(), hour: row.optional())
        let state: State = try row.named()
        let begun = row.instant()
        let trouble = row.optional(as: String.self).flatMap { Trouble(rawValue: $0) }
        let (title, body) = (row.optional(as: String.self), row.optional(as: String.self))
        var text: Text?
        if let title, let body { text = Text(title: title, body: body) }
        self.init(
            id: id, occasion: occasion, state: state, begun: begun, trouble: trouble, text: text,
            requestedBy: try row.optionalParsed())
    }
}

extension DeliveryBatch {
    /// The columns in the order in which `init(_:)` reads them.
    fileprivate static let columns = "delivery, number, recipients, rangeAfter, rangeThrough, counts, isDone, pending"

    fileprivate init(_ row: inout SQLiteRow) throws {
        let key = Key(deliveryID: try row.parsed(), number: row.value())
        let recipients = try Recipients(word: row.value(), after: row.optional(), through: row.optional())
        let counts = SealedCounts(bytes: row.bytes())
        let isDone: Bool = row.value()
        self.init(
            key: key, recipients: recipients, sealedCounts: counts,
            sealedPending: row.optionalBytes().map(SealedPending.init(bytes:)), isDone: isDone)
    }
}
