/// Where deliveries and their batches are kept. Every call may also throw `AppError.storeUnavailable`.
///
/// An account that is deleted takes its name off the deliveries it asked for, in its transaction.
public protocol DeliveryStore: Sendable {
    /// Stores a delivery, unless it is a reminder whose occasion has one.
    /// - Returns: whether it was stored; of callers that race, one is told so.
    /// - Throws: `AppError.notFound` if there is no such team.
    func insert(_ delivery: Delivery) async throws -> Bool

    /// `nil` if there is none.
    func find(id: Delivery.ID) async throws -> Delivery?

    /// A sprint's reminders, skipped ones included, in order of their days.
    func reminders(of sprint: Sprint.Key) async throws -> [Delivery]

    /// By day, the newest first, and within a day by id. `after` is the place of the last one of the page before; `nil`
    /// as team means every team.
    func list(teamID: Team.ID?, after: Delivery.Position?, limit: Int) async throws -> [Delivery]

    /// Those that somebody asked for, in order of their days.
    func list(requestedBy userID: User.ID) async throws -> [Delivery]

    /// Those that are `sending`, the ones that began first at the head.
    func unfinished(limit: Int) async throws -> [Delivery]

    /// Stores a delivery's batches, all of them or, if it has some already, none.
    /// - Parameter batches: at least one, numbered from 0.
    /// - Returns: the batches it has now, in order of their numbers.
    func expand(_ id: Delivery.ID, into batches: [DeliveryBatch]) async throws -> [DeliveryBatch]

    /// In order of their numbers; none before the delivery is expanded.
    func batches(of id: Delivery.ID) async throws -> [DeliveryBatch]

    /// `nil` if there is none.
    func batch(_ key: DeliveryBatch.Key) async throws -> DeliveryBatch?

    /// Notes how far a batch has got, in one atomic step, if it still is where `batch` says: `batch.recipients`, not
    /// done, and the same sealed counts. So of two workers that have sent the same part, one moves it on.
    /// - Parameter next: what is left, with the counts so far.
    /// - Returns: whether it moved.
    func advance(_ batch: DeliveryBatch, to next: DeliveryBatch) async throws -> Bool

    /// Ends a delivery that is `sending` as `done` if it has batches and each is done.
    func finish(_ id: Delivery.ID) async throws

    /// Notes what holds a delivery up.
    func setTrouble(_ id: Delivery.ID, _ trouble: Delivery.Trouble) async throws
}
