import Domain
import Foundation
import Ports
import Storage

/// The members of a team who share a mailbox: they joined before a mailbox could join a team only once, or when
/// `MAIL_SUBADDRESSING` was another one.
///
/// Nobody can join them, so the answer is cached: a group that is still known has lost a member, never gained one.
final class SharedMailboxes: Sendable {
    /// Seconds. A member who has changed their address is released after that.
    private static let lifetime: TimeInterval = 60
    /// Seconds that an answer without any group is kept. Only a process of an older version can form one.
    private static let lifetimeOfNone: TimeInterval = 3_600
    /// More than the number of teams that vote within a minute.
    private static let capacity = 4_096
    /// Members per read.
    private static let pageSize = 500

    /// The others in each member's group; most teams have none.
    private typealias Groups = [User.ID: [User.ID]]

    private let clock: WallClock
    private let known = BoundedCache<Team.ID, Groups>(capacity: capacity)
    private let reads: SharedCalls<Team.ID, Groups>

    /// - Parameter subaddressing: which addresses reach one mailbox.
    init(stores: Stores, subaddressing: Subaddressing, clock: WallClock) {
        self.clock = clock
        let store = stores.rows
        reads = SharedCalls { ids in
            var found: [Team.ID: Groups] = [:]
            for id in ids {
                var others: Groups = [:]
                let groups = try await SharedMailboxes.groups(
                    in: id, store: store, subaddressing: subaddressing)
                for group in groups {
                    for member in group { others[member.id] = group.map(\.id).filter { $0 != member.id } }
                }
                found[id] = others
            }
            return found
        }
    }

    /// The other members with the mailbox of a member.
    /// - Throws: `StorageError.unavailable`.
    func sharers(with userID: User.ID, in teamID: Team.ID) async throws -> [User.ID] {
        try await groups(in: teamID)[userID] ?? []
    }

    /// Whether any members share a mailbox.
    /// - Throws: `StorageError.unavailable`.
    func areAny(in teamID: Team.ID) async throws -> Bool {
        try await !groups(in: teamID).isEmpty
    }

    private func groups(in teamID: Team.ID) async throws -> Groups {
        let now = clock.now
        if let groups = known.value(for: teamID, at: now) { return groups }
        let removals = known.removals
        let groups = try await reads.value(for: teamID) ?? [:]
        let lifetime = groups.isEmpty ? Self.lifetimeOfNone : Self.lifetime
        known.store(
            groups, for: teamID, validity: now..<now.addingTimeInterval(lifetime), unlessRemovedSince: removals)
        return groups
    }

    /// The present groups of two or more members with one mailbox, in order of its address; each in order of the ids.
    static func groups(
        in teamID: Team.ID, store: any Store, subaddressing: Subaddressing
    ) async throws -> [[User]] {
        var members: [String: [User]] = [:]
        var last: User.ID?
        repeat {
            let page = try await store.read { [last] rows in
                try rows.members(of: teamID, after: last, limit: pageSize)
            }
            for user in try await store.read({ try $0.users(page.map(\.userID)) }) {
                members[subaddressing.mailbox(of: user.email).address, default: []].append(user)
            }
            last = page.count < pageSize ? nil : page.last?.userID
        } while last != nil
        return members.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map(\.value)
    }
}
