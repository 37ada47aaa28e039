import Foundation
import Mongo

/// `DeliveryStore` on the collections `deliveries` and `deliveryBatches`.
struct MongoDeliveryStore: MongoTransactions, DeliveryStore {
    let connection: MongoConnection

    func find(id: Delivery.ID) async throws -> Delivery? {
        try await connection.run { try $0.collection(.deliveries).findOne(["_id": .id(id)]).map(Delivery.init) }
    }

    func reminders(of sprint: Sprint.Key) async throws -> [Delivery] {
        try await connection.run { database in
            try database.collection(.deliveries)
                .find(
                    ["team": .id(sprint.teamID), "start": .date(sprint.start), "isReminder": true],
                    sort: ["day": 1, "kind": 1]
                )
                .map(Delivery.init)
        }
    }

    func list(teamID: Team.ID?, after: Delivery.Position?, limit: Int) async throws -> [Delivery] {
        guard limit > 0 else { return [] }
        // A missing field equals null.
        var filter: BSONDocument = ["hour": .null]
        filter.appendIfPresent("team", teamID.map(BSONValue.id))
        if let after {
            let day = BSONValue.string(after.day.description)
            filter.append("$or", [["day": ["$lt": day]], ["day": day, "_id": ["$gt": .id(after.id)]]])
        }
        let chosen = filter
        return try await connection.run { database in
            try database.collection(.deliveries)
                .find(chosen, sort: ["day": -1, "_id": 1], limit: limit)
                .map(Delivery.init)
        }
    }

    func list(requestedBy userID: User.ID) async throws -> [Delivery] {
        try await connection.run { database in
            try database.collection(.deliveries)
                .find(["requestedBy": .id(userID)], sort: ["day": 1, "_id": 1])
                .map(Delivery.init)
        }
    }

    func unfinished(limit: Int) async throws -> [Delivery] {
        guard limit > 0 else { return [] }
        return try await connection.run { database in
            try database.collection(.deliveries)
                .find(
                    ["state": .string(Delivery.State.sending.rawValue)], sort: ["begun": 1, "_id": 1], limit: limit
                )
                .map(Delivery.init)
        }
    }

    func expand(_ id: Delivery.ID, into batches: [DeliveryBatch]) async throws -> [DeliveryBatch] {
        let documents = batches.map(\.document)
        return try await connection.run { database in
            if let earlier = try Self.batches(of: id, in: database) { return earlier }
            do {
                try database.boundedTransaction { transaction in
                    try database.collection(.deliveryBatches).insertMany(documents, in: transaction)
                }
            } catch let error as MongoError where error.kind == .duplicateKey {
                // Another worker was faster; its bounds apply.
                return try Self.batches(of: id, in: database) ?? []
            }
            return batches
        }
    }

    func batches(of id: Delivery.ID) async throws -> [DeliveryBatch] {
        try await connection.run { try Self.batches(of: id, in: $0) ?? [] }
    }

    func batch(_ key: DeliveryBatch.Key) async throws -> DeliveryBatch? {
        try await connection.run { database in
            try database.collection(.deliveryBatches)
                .findOne(["_id": .string(key.documentID)])
                .map(DeliveryBatch.init)
        }
    }

    func advance(_ batch: DeliveryBatch, to next: DeliveryBatch) async throws -> Bool {
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
        return try await connection.run { database in
            try database.collection(.deliveryBatches).updateOne(filter, changes).matched == 1
        }
    }

    func finish(_ id: Delivery.ID) async throws {
        try await connection.run { database in
            // Batches are created all at once and never removed singly, so two reads suffice.
            let batches = database.collection(.deliveryBatches)
            guard try batches.findOne(["delivery": .id(id)], projection: ["_id": 1]) != nil,
                try batches.findOne(["delivery": .id(id), "isDone": false], projection: ["_id": 1]) == nil
            else { return }
            _ = try database.collection(.deliveries).updateOne(
                ["_id": .id(id), "state": .string(Delivery.State.sending.rawValue)],
                ["$set": ["state": .string(Delivery.State.done.rawValue)]])
        }
    }

    func setTrouble(_ id: Delivery.ID, _ trouble: Delivery.Trouble) async throws {
        try await connection.run { database in
            _ = try database.collection(.deliveries).updateOne(
                ["_id": .id(id)], ["$set": ["trouble": .string(trouble.rawValue)]])
        }
    }

    /// `nil` if the delivery is not expanded.
    private static func batches(of id: Delivery.ID, in database: MongoDatabase) throws -> [DeliveryBatch]? {
        let batches = try database.collection(.deliveryBatches)
            .find(["delivery": .id(id)], sort: ["number": 1])
            .map(DeliveryBatch.init)
        return batches.isEmpty ? nil : batches
    }
}

extension MongoRows: DeliveryRows {
    func reminders(of sprints: Set<Sprint.Key>) throws -> [Delivery] {
        try collection(.deliveries).find(.among(sprints, and: ["isReminder": true]), in: transaction)
            .map(Delivery.init)
            .filter { sprints.contains($0.occasion.sprint) }
    }

    func insert(_ deliveries: [Delivery]) throws {
        try collection(.deliveries).insertMany(deliveries.map(\.document), in: transaction)
    }

    func delete(_ deliveries: [Delivery]) throws {
        let ids = deliveries.map { BSONValue.id($0.id) }
        try collection(.deliveryBatches).deleteMany(["delivery": .among(ids)], in: transaction)
        try collection(.deliveries).deleteMany(["_id": .among(ids)], in: transaction)
    }
}
