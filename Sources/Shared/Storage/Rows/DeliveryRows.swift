package import Domain

/// Deliveries and their batches.
package protocol DeliveryRows {
    /// `nil` if there is none.
    func delivery(_ id: Delivery.ID) throws -> Delivery?

    /// A sprint's reminders, including skipped ones, ordered by day.
    func reminders(of sprint: Sprint.Key) throws -> [Delivery]

    /// The deliveries that remind of one of these sprints, in no particular order.
    func reminders(of sprints: Set<Sprint.Key>) throws -> [Delivery]

    /// By day, the newest first, and within a day by id. `after` is the position of the last one of the previous page;
    /// `nil` as team means every team. Without reminders at hours that members chose: they go to few, mostly one, and
    /// their progress would tell whether that one had voted.
    func deliveries(of teamID: Team.ID?, after: Delivery.Position?, limit: Int) throws -> [Delivery]

    /// The deliveries a user requested, ordered by day.
    func deliveries(requestedBy userID: User.ID) throws -> [Delivery]

    /// Deliveries in state `sending`, the oldest first.
    func unfinishedDeliveries(limit: Int) throws -> [Delivery]

    /// Ordered by number; empty before the delivery is expanded.
    func batches(of id: Delivery.ID) throws -> [DeliveryBatch]

    /// `nil` if there is none.
    func batch(_ key: DeliveryBatch.Key) throws -> DeliveryBatch?
}

/// Changes of deliveries, each atomic by itself.
package protocol DeliveryWrites {
    /// Stores a delivery's batches: all of them or, if it already has some, none.
    /// - Parameter batches: at least one, numbered from 0.
    /// - Returns: the delivery's batches, ordered by number.
    func expand(_ id: Delivery.ID, into batches: [DeliveryBatch]) throws -> [DeliveryBatch]

    /// Records the progress of a batch if its stored state still matches `batch`: `batch.recipients`, not done, and the
    /// same encrypted counts. So if two workers have sent the same part, one of them records it.
    /// - Parameter next: the remaining recipients, with the counts so far.
    /// - Returns: whether it was recorded.
    func advance(_ batch: DeliveryBatch, to next: DeliveryBatch) throws -> Bool

    /// Marks a delivery in state `sending` as `done` if it has batches and all of them are done.
    func finishDelivery(_ id: Delivery.ID) throws

    /// Records what delays a delivery.
    func setTrouble(_ trouble: Delivery.Trouble, of id: Delivery.ID) throws
}

/// Changes of deliveries in a transaction.
package protocol DeliveryChanges {
    /// - Throws: `StorageError.duplicate` if an id exists, or an occasion allows one delivery and has one.
    func insert(_ deliveries: [Delivery]) throws

    /// Deletes the deliveries and their batches. A job that finds its delivery missing ends.
    func delete(_ deliveries: [Delivery]) throws
}

/// Changes of jobs in a transaction.
package protocol JobChanges {
    /// Stores jobs without a dedupe key, or with one that no other job can have.
    /// - Throws: `StorageError.duplicate` if an id exists.
    func insert(_ jobs: [Job]) throws
}
