package import Foundation

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

    /// Stores reminders, each with the job that sends it if it is not skipped, in one transaction: many teams are
    /// reminded in the same minute. Left out are reminders whose occasion already has one, and those whose sprint was
    /// closed or whose team was deleted since they were planned.
    /// - Parameter runAt: when the jobs are due.
    /// - Returns: those that were stored; of several racing callers, one gets each.
    package func insert(reminders: [Delivery], runAt: Date) async throws -> [Delivery] {
        guard !reminders.isEmpty else { return [] }
        return try await transaction { rows in
            try reminders.filter { reminder in
                let sprint = reminder.occasion.sprint
                guard try rows.team(sprint.teamID) != nil,
                    try rows.openSprints(of: sprint.teamID).contains(where: { $0.sprint.key == sprint }),
                    try !rows.hasDelivery(for: reminder.occasion)
                else { return false }
                try rows.insert(reminder)
                if reminder.state != .skipped {
                    try rows.insert(DeliveryJobs.delivering(reminder.id, runAt: runAt))
                }
                return true
            }
        }
    }
}
