package import Domain
package import Foundation
package import Storage

/// The jobs that send deliveries. A job names a delivery and a range of it, never a member: a failed or waiting job
/// would reveal that its member had not voted.
package struct DeliveryJobs: Sendable {
    /// `Job.kind` of the job that splits a delivery into batches. `DeliverPayload`.
    package static let deliverKind = "deliver"
    /// `Job.kind` of the job that sends a batch. `DeliveryBatch.Key`.
    package static let batchKind = "deliverBatch"
    /// Seconds. Mails follow the push messages, so that a member whose last device turns out to be gone still gets one.
    /// But an unavailable push service does not delay them any longer than this.
    package static let mailsWait: TimeInterval = 600

    private let jobs: any JobStore

    /// Enqueues its jobs in this queue.
    package init(jobs: any JobStore) {
        self.jobs = jobs
    }

    /// Enqueues a delivery; a second call changes nothing.
    /// - Throws: `StorageError.unavailable`.
    package func deliver(_ id: Delivery.ID, runAt: Date) async throws {
        _ = try await jobs.enqueue(Self.delivering(id, runAt: runAt))
    }

    /// The job that splits a delivery; its dedupe key allows one.
    static func delivering(_ id: Delivery.ID, runAt: Date) throws -> Job {
        try job(deliverKind, DeliverPayload(deliveryID: id), dedupeKey: "\(deliverKind)|\(id)", runAt: runAt)
    }

    /// Enqueues the batches of a delivery that are due: push messages immediately, mails once the push messages are
    /// sent or `mailsWait` has passed. A second call changes nothing.
    /// - Parameter batches: all of the delivery's, in their present state.
    /// - Throws: `StorageError.unavailable`.
    package func send(_ batches: [DeliveryBatch], of delivery: Delivery, at now: Date, runAt: Date) async throws {
        let left = batches.filter { !$0.isDone }
        let mailsMayGo = left.allSatisfy(\.isByMail) || delivery.begun + Self.mailsWait <= now
        for batch in left where !batch.isByMail || mailsMayGo {
            let key = "\(Self.batchKind)|\(batch.key.deliveryID)|\(batch.key.number)"
            _ = try await jobs.enqueue(Self.job(Self.batchKind, batch.key, dedupeKey: key, runAt: runAt))
        }
    }

    private static func job(
        _ kind: String, _ payload: some Encodable, dedupeKey: String, runAt: Date
    ) throws -> Job {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let text = String(decoding: try encoder.encode(payload), as: UTF8.self)
        return Job(kind: kind, payload: text, dedupeKey: dedupeKey, runAt: runAt)
    }
}

/// Parameters of the job that splits a delivery.
package struct DeliverPayload: Codable, Hashable, Sendable {
    /// The delivery to be split.
    package let deliveryID: Delivery.ID

    /// Names the delivery.
    package init(deliveryID: Delivery.ID) {
        self.deliveryID = deliveryID
    }
}
