import Foundation
import Services

/// Decides who gets a delivery at the moment of sending. It stores nothing.
struct RecipientFilter: Sendable {
    let delivery: Delivery
    let plan: ReminderPlan
    /// Absences by member; members without any are missing.
    let absences: [User.ID: [Absence]]
    let stores: Stores
    let secret: BallotSecret

    /// The ids among `ids` that get the delivery: no one who is disabled or has left the team; and for a reminder, no
    /// one who is absent or has voted. A test goes to the user who requested it, whether or not they are in the team.
    /// - Throws: `StorageError.unavailable`.
    func admitted(among ids: some Sequence<User.ID>) async throws -> [User.ID: User] {
        let ids = Array(Set(ids))
        var users = try await stores.users.list(ids: ids).filter { !$0.isDisabled }
        if delivery.occasion.kind != .test {
            let members = try await stores.teams.memberIDs(of: delivery.occasion.sprint.teamID, among: ids)
            users = users.filter { members.contains($0.id) }
        }
        if delivery.occasion.kind.dependsOnVotes {
            users = users.filter {
                plan.includes(
                    delivery.occasion, absences: absences[$0.id] ?? [], chosenHour: $0.notifications.hour)
            }
            let voted = try await stores.ballots.existing(among: users.map { receipt(of: $0.id) })
            users = users.filter { !voted.contains(receipt(of: $0.id)) }
        }
        return Dictionary(uniqueKeysWithValues: users.map { ($0.id, $0) })
    }

    private func receipt(of userID: User.ID) -> Receipt {
        Receipt(secret: secret, sprint: delivery.occasion.sprint, userID: userID)
    }
}
