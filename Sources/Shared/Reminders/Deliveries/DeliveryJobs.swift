public import Foundation

/// The jobs that send deliveries. A job names a delivery and a range of it, never a person: one that failed or waits
/// would tell that its person had not voted.
public struct DeliveryJobs: Sendable {
    /// `Job.kind` of the job that splits a delivery into batches. `DeliverPayload`.
    public static let deliverKind = "deliver"
    /// `Job.kind` of the job that sends a batch. `DeliveryBatch.Key`.
    public static let batchKind = "deliverBatch"
    /// Seconds. Mails go out after the messages, so that whose last device turns out to be gone still gets one; but no push
    /// service that is away keeps them for longer than this.
    public static let mailsWait: TimeInterval = 600

    private let jobs: any JobStore

    /// Jobs for this queue.
    public init(jobs: any JobStore) {
        self.jobs = jobs
    }

    /// Asks for a delivery to be sent; a second time changes nothing.
    /// - Throws: `AppError.storeUnavailable`.
    public func deliver(_ id: Delivery.ID, runAt: Date) async throws {
        try await enqueue(
            kind: Self.deliverKind, DeliverPayload(deliveryID: id), dedupeKey: "\(Self.deliverKind)|\(id)",
            runAt: runAt)
    }

    /// Asks for those batches of a delivery to be sent whose turn it is: messages at once, mails when the messages are out
    /// or `mailsWait` has passed. A second time changes nothing.
    /// - Parameter batches: all of the delivery's, as they are now.
    /// - Throws: `AppError.storeUnavailable`.
    public func send(_ batches: [DeliveryBatch], of delivery: Delivery, at now: Date, runAt: Date) async throws {
        let left = batches.filter { !$0.isDone }
        let mailsMayGo = left.allSatisfy(\.isByMail) || delivery.begun + Self.mailsWait <= now
        for batch in left where !batch.isByMail || mailsMayGo {
            try await enqueue(
                kind: Self.batchKind, batch.key,
                dedupeKey: "\(Self.batchKind)|\(batch.key.deliveryID)|\(batch.key.number)", runAt: runAt)
        }
    }

    private func enqueue(kind: String, _ payload: some Encodable, dedupeKey: String, runAt: Date) async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let text = String(decoding: try encoder.encode(payload), as: UTF8.self)
        _ = try await jobs.enqueue(Job(kind: kind, payload: text, dedupeKey: dedupeKey, runAt: runAt))
    }
}

/// Parameters of the job that splits a delivery.
public struct DeliverPayload: Codable, Hashable, Sendable {
    /// Which one.
    public let deliveryID: Delivery.ID

    /// For this delivery.
    public init(deliveryID: Delivery.ID) {
        self.deliveryID = deliveryID
    }
}
