extension DeliveryStore {
    /// Stores a delivery, unless it is a reminder whose occasion already has one.
    /// - Returns: whether it was stored; exactly one of several racing callers gets true.
    /// - Throws: `AppError.notFound` if there is no such team.
    package func insert(_ delivery: Delivery) async throws -> Bool {
        let occasion = delivery.occasion
        return try await transaction { rows in
            guard try rows.team(occasion.sprint.teamID) != nil else { throw AppError.noSuchTeam }
            if occasion.kind.dependsOnVotes, try rows.hasDelivery(for: occasion) { return false }
            try rows.insert(delivery)
            return true
        }
    }
}
