package import Domain

/// Stores deliveries and their batches. Every call may also throw `StorageError.unavailable`.
///
/// Deleting an account removes its name from the deliveries it requested, in the same transaction.
package protocol DeliveryStore: TransactionalStore {
    /// `nil` if there is none.
    func find(id: Delivery.ID) async throws -> Delivery?

    /// A sprint's reminders, including skipped ones, ordered by day.
    func reminders(of sprint: Sprint.Key) async throws -> [Delivery]

    /// By day, the newest first, and within a day by id. `after` is the position of the last one of the previous page;
    /// `nil` as team means every team. Without reminders at hours that members chose: they go to few, mostly one, and
    /// their progress would tell whether that one had voted.
    func list(teamID: Team.ID?, after: Delivery.Position?, limit: Int) async throws -> [Delivery]

    /// The deliveries a user requested, ordered by day.
    func list(requestedBy userID: User.ID) async throws -> [Delivery]

    /// Deliveries in state `sending`, the oldest first.
    func unfinished(limit: Int) async throws -> [Delivery]

    /// Stores a delivery's batches: all of them or, if it already has some, none.
    /// - Parameter batches: at least one, numbered from 0.
    /// - Returns: the delivery's batches, ordered by number.
    func expand(_ id: Delivery.ID, into batches: [DeliveryBatch]) async throws -> [DeliveryBatch]

    /// Ordered by number; empty before the delivery is expanded.
    func batches(of id: Delivery.ID) async throws -> [DeliveryBatch]

    /// `nil` if there is none.
    func batch(_ key: DeliveryBatch.Key) async throws -> DeliveryBatch?

    /// Atomically records the progress of a batch if its stored state still matches `batch`: `batch.recipients`, not
    /// done, and the same encrypted counts. So if two workers have sent the same part, one of them records it.
    /// - Parameter next: the remaining recipients, with the counts so far.
    /// - Returns: whether it was recorded.
    func advance(_ batch: DeliveryBatch, to next: DeliveryBatch) async throws -> Bool

    /// Marks a delivery in state `sending` as `done` if it has batches and all of them are done.
    func finish(_ id: Delivery.ID) async throws

    /// Records what delays a delivery.
    func setTrouble(_ id: Delivery.ID, _ trouble: Delivery.Trouble) async throws
}
