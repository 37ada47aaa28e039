import Foundation

/// A cache of memberships, for reading results; for a vote the store checks the membership.
package final class MembershipCache: Sendable {
    private struct Key: Hashable, Sendable {
        let userID: User.ID
        let teamID: Team.ID
    }

    /// Seconds after which a member removed by another process can no longer read anything here.
    static let memory: TimeInterval = 5
    private static let cacheCapacity = 16_384

    private let teams: any TeamStore
    private let clock: WallClock
    private let known = BoundedCache<Key, Membership>(capacity: cacheCapacity)

    /// Starts with an empty cache.
    package init(teams: any TeamStore, clock: WallClock) {
        self.teams = teams
        self.clock = clock
    }

    /// `nil` if the user is not in the team. That is never cached, so a new member can read immediately.
    package func membership(of userID: User.ID, in teamID: Team.ID) async throws -> Membership? {
        let now = clock.now
        let key = Key(userID: userID, teamID: teamID)
        if let membership = known.value(for: key, at: now) { return membership }
        let removals = known.removals(for: key)
        guard let membership = try await teams.membership(of: userID, in: teamID) else { return nil }
        let end = now.addingTimeInterval(Self.memory)
        known.store(membership, for: key, validity: now..<end, unlessRemovedSince: removals)
        return membership
    }

    /// Removes a membership that ended or changed.
    package func forget(_ userID: User.ID, in teamID: Team.ID) {
        known.remove(Key(userID: userID, teamID: teamID))
    }
}
