import Shared

/// Splits a delivery into batches and asks for those to be sent that go first. Doing it again asks for nothing twice.
struct Deliver: JobHandler {
    let deliveries: any DeliveryStore
    let expansion: DeliveryExpansion
    let jobs: DeliveryJobs

    let kind = DeliveryJobs.deliverKind
    /// A hundred thousand devices are read in seconds.
    let deadline = Duration.seconds(120)

    func run(_ context: JobContext) async throws {
        let id = try context.parameters(as: DeliverPayload.self).deliveryID
        guard let delivery = try await deliveries.find(id: id), delivery.state == .sending else { return }
        let batches = try await expansion.batches(of: delivery)
        try await jobs.send(batches, of: delivery, at: context.now, runAt: context.job.runAt)
        // For a worker that died between its last batch's end and the delivery's.
        try await deliveries.finish(id)
    }
}
