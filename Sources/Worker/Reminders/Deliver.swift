import Services

/// Splits a delivery into batches and enqueues the first of them. Repeating it enqueues nothing twice.
struct Deliver: JobHandler {
    let deliveries: any DeliveryStore
    let expansion: DeliveryExpansion
    let jobs: DeliveryJobs

    let kind = DeliveryJobs.deliverKind
    /// Reading a hundred thousand devices takes seconds.
    let deadline = Duration.seconds(120)

    func run(_ context: JobContext) async throws {
        let id = try context.parameters(as: DeliverPayload.self).deliveryID
        guard let delivery = try await deliveries.find(id: id), delivery.state == .sending else { return }
        let batches = try await expansion.batches(of: delivery)
        try await jobs.send(batches, of: delivery, at: context.now, runAt: context.job.runAt)
        // In case a worker died after its last batch and before this.
        try await deliveries.finish(id)
    }
}
