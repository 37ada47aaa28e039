/// Splits deliveries into batches.
package struct DeliveryExpansion: Sendable {
    /// Devices or members per batch.
    package static let batchSize = 500
    /// Devices per read while looking for split points: several batches, because each read scans all of the team's.
    private static let pageSize = 5 * batchSize

    private let teams: any TeamStore
    private let devices: any DeviceStore
    private let deliveries: any DeliveryStore
    private let seal: CountsSeal

    /// - Parameter secret: the installation's ballot secret.
    package init(stores: Stores, secret: BallotSecret) {
        teams = stores.teams
        devices = stores.devices
        deliveries = stores.deliveries
        seal = CountsSeal(secret: secret)
    }

    /// The batches of a delivery. The first call stores them; later calls return the same ones.
    /// - Throws: `StorageError.unavailable`.
    package func batches(of delivery: Delivery) async throws -> [DeliveryBatch] {
        let earlier = try await deliveries.batches(of: delivery.id)
        guard earlier.isEmpty else { return earlier }
        let batches = try await recipients(of: delivery).enumerated().map { number, recipients in
            let key = DeliveryBatch.Key(deliveryID: delivery.id, number: number)
            return DeliveryBatch(
                key: key, recipients: recipients, sealedCounts: try seal.seal(DeliveryCounts(), for: key))
        }
        return try await deliveries.expand(delivery.id, into: batches)
    }

    private func recipients(of delivery: Delivery) async throws -> [DeliveryBatch.Recipients] {
        let teamID = delivery.occasion.sprint.teamID
        switch delivery.occasion.kind {
        case .test: return [.requester]
        case .reminder, .secondReminder, .message:
            let devices = try await bounds { after, limit in
                try await self.devices.list(teamID: teamID, after: after, through: nil, limit: limit).map(\.id)
            }
            let members = try await bounds { after, limit in
                try await teams.memberIDs(of: teamID, after: after, through: nil, limit: limit)
            }
            return IdentifierRange.covering(splitAt: devices).map { .devices($0) }
                + IdentifierRange.covering(splitAt: members).map { .members($0) }
        }
    }

    /// The bounds after every `batchSize` ids.
    /// - Parameter page: the ids after a bound, up to a limit, ascending.
    private func bounds<Entity>(
        in page: (_ after: Identifier<Entity>?, _ limit: Int) async throws -> [Identifier<Entity>]
    ) async throws -> [Identifier<Entity>] {
        var bounds: [Identifier<Entity>] = []
        while true {
            // One more than a page, to see the first id after its end.
            let ids = try await page(bounds.last, Self.pageSize + 1)
            bounds += stride(from: Self.batchSize, to: ids.count, by: Self.batchSize).map { end in
                Identifier.boundary(between: ids[end - 1], and: ids[end])
            }
            if ids.count <= Self.pageSize { return bounds }
        }
    }
}
