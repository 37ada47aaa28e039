import Domain
import Foundation
import Mongo

extension MongoRows: DeliveryRows, DeliveryWrites {
    func reminders(of sprints: Set<Sprint.Key>) throws -> [Delivery] {
        try collection(.deliveries).find(.among(sprints, and: ["isReminder": true]), in: transaction)
            .map(Delivery.init)
            .filter { sprints.contains($0.occasion.sprint) }
    }

    func delivery(_ id: Delivery.ID) throws -> Delivery? {
        try collection(.deliveries).findOne(["_id": .id(id)], in: transaction).map(Delivery.init)
    }

    func reminders(of sprint: Sprint.Key) throws -> [Delivery] {
        try collection(.deliveries)
            .find(
                ["team": .id(sprint.teamID), "start": .date(sprint.start), "isReminder": true],
                sort: ["day": 1, "kind": 1], in: transaction
            )
            .map(Delivery.init)
    }

    func deliveries(of teamID: Team.ID?, after: Delivery.Position?, limit: Int) throws -> [Delivery] {
        guard limit > 0 else { return [] }
        // A missing field equals null.
        var filter: BSONDocument = ["hour": .null]
        filter.appendIfPresent("team", teamID.map(BSONValue.id))
        if let after {
            let day = BSONValue.string(after.day.description)
            filter.append("$or", [["day": ["$lt": day]], ["day": day, "_id": ["$gt": .id(after.id)]]])
        }
        return try collection(.deliveries)
            .find(filter, sort: ["day": -1, "_id": 1], limit: limit, in: transaction)
            .map(Delivery.init)
    }

    func deliveries(requestedBy userID: User.ID) throws -> [Delivery] {
        try collection(.deliveries)
            .find(["requestedBy": .id(userID)], sort: ["day": 1, "_id": 1], in: transaction)
            .map(Delivery.init)
    }

    func unfinishedDeliveries(limit: Int) throws -> [Delivery] {
        guard limit > 0 else { return [] }
        return try collection(.deliveries)
            .find(
                ["state": .string(Delivery.State.sending.rawValue)], sort: ["begun": 1, "_id": 1], limit: limit,
                in: transaction
            )
            .map(Delivery.init)
    }

    func expand(_ id: Delivery.ID, into batches: [DeliveryBatch]) throws -> [DeliveryBatch] {
        let documents = batches.map(\.document)
        let earlier = try self.batches(of: id)
        guard earlier.isEmpty else { return earlier }
        do {
            try database.boundedTransaction { transaction in
                try collection(.deliveryBatches).insertMany(documents, in: transaction)
            }
        } catch let error as MongoError where error.kind == .duplicateKey {
            // Another worker was faster; its bounds apply.
            return try self.batches(of: id)
        }
        return batches
    }

    func batches(of id: Delivery.ID) throws -> [DeliveryBatch] {
        try collection(.deliveryBatches)
            .find(["delivery": .id(id)], sort: ["number": 1], in: transaction)
            .map(DeliveryBatch.init)
    }

    func batch(_ key: DeliveryBatch.Key) throws -> DeliveryBatch? {
        try collection(.deliveryBatches)
            .findOne(["_id": .string(key.documentID)], in: transaction)
            .map(DeliveryBatch.init)
    }

    func advance(_ batch: DeliveryBatch, to next: DeliveryBatch) throws -> Bool {
        let (word, after, _) = batch.recipients.columns
        let (nextWord, nextAfter, nextThrough) = next.recipients.columns
        let filter: BSONDocument = [
            "_id": .string(batch.key.documentID), "isDone": false, "recipients": .string(word),
            // A missing field equals null.
            "after": after.map(BSONValue.string) ?? .null, "counts": .binary(batch.sealedCounts.bytes),
        ]
        let changes: BSONDocument = [
            "$set": [
                "recipients": .string(nextWord), "after": nextAfter.map(BSONValue.string) ?? .null,
                "through": nextThrough.map(BSONValue.string) ?? .null, "counts": .binary(next.sealedCounts.bytes),
                "isDone": .bool(next.isDone),
                "pending": next.sealedPending.map { BSONValue.binary($0.bytes) } ?? .null,
            ]
        ]
        return try collection(.deliveryBatches).updateOne(filter, changes, in: transaction).matched == 1
    }

    func finishDelivery(_ id: Delivery.ID) throws {
        // Batches are created all at once and never removed singly, so two reads suffice.
        let batches = collection(.deliveryBatches)
        guard try batches.findOne(["delivery": .id(id)], projection: ["_id": 1], in: transaction) != nil,
            try batches.findOne(["delivery": .id(id), "isDone": false], projection: ["_id": 1], in: transaction) == nil
        else { return }
        try collection(.deliveries).updateOne(
            ["_id": .id(id), "state": .string(Delivery.State.sending.rawValue)],
            ["$set": ["state": .string(Delivery.State.done.rawValue)]], in: transaction)
    }

    func setTrouble(_ trouble: Delivery.Trouble, of id: Delivery.ID) throws {
        try collection(.deliveries).updateOne(
            ["_id": .id(id)], ["$set": ["trouble": .string(trouble.rawValue)]], in: transaction)
    }
}

extension MongoRows: DeliveryChanges {
    func insert(_ deliveries: [Delivery]) throws {
        try collection(.deliveries).insertMany(deliveries.map(\.document), in: transaction)
    }

    func delete(_ deliveries: [Delivery]) throws {
        let ids = deliveries.map { BSONValue.id($0.id) }
        try collection(.deliveryBatches).deleteMany(["delivery": .among(ids)], in: transaction)
        try collection(.deliveries).deleteMany(["_id": .among(ids)], in: transaction)
    }
}
