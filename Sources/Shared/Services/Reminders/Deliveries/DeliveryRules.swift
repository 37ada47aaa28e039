package import Domain
package import Foundation
package import Storage

extension StoreTransaction {
    /// Stores a delivery, unless it is a reminder whose occasion already has one.
    /// - Returns: whether it was stored; exactly one of several racing callers gets true.
    /// - Throws: `AppError.notFound` if there is no such team.
    package func add(_ delivery: Delivery) throws -> Bool {
        let occasion = delivery.occasion
        guard try team(occasion.sprint.teamID) != nil else { throw AppError.noSuchTeam }
        if occasion.kind.dependsOnVotes,
            try reminders(of: [occasion.sprint]).contains(where: { $0.occasion == occasion })
        {
            return false
        }
        try insert([delivery])
        return true
    }
}

extension Store {
    /// Stores reminders, each with the job that sends it if it is not skipped, in one transaction: many teams are
    /// reminded in the same minute. It skips a reminder if there is already one for its occasion, or if the sprint was
    /// closed or the team deleted since it was planned.
    /// - Parameter runAt: when the jobs are due.
    /// - Returns: those that were stored; of several racing callers, one gets each.
    package func add(reminders: [Delivery], runAt: Date) async throws -> [Delivery] {
        guard !reminders.isEmpty else { return [] }
        return try await transaction { rows in
            let sprints = Set(reminders.map(\.occasion.sprint))
            let teams = Set(try rows.teams(Array(Set(sprints.map(\.teamID)))).map(\.id))
            let open = Set(try rows.openSprints(of: teams).map(\.sprint.key))
            let taken = Set(try rows.reminders(of: sprints).map(\.occasion))
            let left = reminders.filter { open.contains($0.occasion.sprint) && !taken.contains($0.occasion) }
            try rows.insert(left)
            try rows.insert(
                left.filter { $0.state != .skipped }.map { try DeliveryJobs.delivering($0.id, runAt: runAt) })
            return left
        }
    }
}
