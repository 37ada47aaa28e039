package import Domain
import Foundation
package import Ports
package import Storage

/// A cache of memberships, for reading results; for a vote the store checks the membership.
package final class MembershipCache: Sendable {
    private struct Key: Hashable, Sendable {
        let userID: User.ID
        let teamID: Team.ID
    }

    private struct Known: Sendable {
        let membership: Membership
        let read: Date
    }

    private static let cacheCapacity = 16_384

    /// Decides how long anything is kept.
    let revocations: RevocationFeed
    private let store: any Store
    private let clock: WallClock
    private let known = BoundedCache<Key, Known>(capacity: cacheCapacity)

    /// Starts with an empty cache.
    /// - Parameter revocations: unless it runs, a membership is read again after `RevocationFeed.trust`.
    package init(store: any Store, revocations: RevocationFeed, clock: WallClock) {
        self.store = store
        self.revocations = revocations
        self.clock = clock
        revocations.add { [known] slots in
            known.removeAll { slots?.contains(RevocationSlot(of: $0.membership.userID)) != false }
        }
    }

    /// `nil` if the user is not in the team. That is never cached, so a new member can read immediately.
    package func membership(of userID: User.ID, in teamID: Team.ID) async throws -> Membership? {
        let now = clock.now
        let key = Key(userID: userID, teamID: teamID)
        if let known = known.value(for: key, at: now), revocations.permits(readAt: known.read, at: now) {
            return known.membership
        }
        let removals = known.removals
        guard let membership = try await store.membership(of: userID, in: teamID) else { return nil }
        remember([membership], readAt: now, unlessRemovedSince: removals)
        return membership
    }

    /// Removes a membership that ended or changed.
    package func forget(_ userID: User.ID, in teamID: Team.ID) {
        known.remove(Key(userID: userID, teamID: teamID))
    }

    /// Removes the memberships of a deleted team.
    package func forgetAll(of teamID: Team.ID) {
        known.removeAll { $0.membership.teamID == teamID }
    }

    /// To be read before memberships are loaded, and passed to `remember`.
    var removals: Int { known.removals }

    /// Keeps memberships that were loaded elsewhere.
    func remember(_ memberships: [Membership], readAt now: Date, unlessRemovedSince removals: Int) {
        for membership in memberships {
            known.store(
                Known(membership: membership, read: now),
                for: Key(userID: membership.userID, teamID: membership.teamID),
                validity: now..<now.addingTimeInterval(RevocationFeed.memory), unlessRemovedSince: removals)
        }
    }
}
