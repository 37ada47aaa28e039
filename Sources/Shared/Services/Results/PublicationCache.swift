package import Domain
package import Foundation
package import Ports
import Synchronization

/// Values derived from a team's publications, cached until the team's publication number changes. Another change number
/// of a team works as well.
///
/// One reader at a time reads the number, at most once a second. Every process of an installation therefore shows a
/// publication within a second, and a team's history costs the store one small read per second, however many members
/// view it.
package final class PublicationCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct TeamEntry {
        var number: Int
        var checked: Date
        var isBeingChecked = false
        var values: [Key: Value] = [:]
    }

    /// Seconds for which a number is considered current.
    package static var freshness: TimeInterval { 1 }
    /// Seconds after which readers stop using a value that is being checked and read the number themselves.
    private static var patience: TimeInterval { 3 }
    private static var maximumTeams: Int { 2_000 }
    private static var maximumValues: Int { 64 }

    private let number: @Sendable (Team.ID) async throws -> Int?
    private let clock: WallClock
    private let entries = Mutex<[Team.ID: TeamEntry]>([:])

    /// Creates an empty cache over teams' publication numbers.
    package convenience init(publications: PublicationService, clock: WallClock) {
        self.init(clock: clock) { try await publications.number(of: $0) }
    }

    /// Creates an empty cache over other numbers.
    /// - Parameter number: increases with every change of the underlying data; `nil` for a deleted team.
    package init(clock: WallClock, number: @escaping @Sendable (Team.ID) async throws -> Int?) {
        self.clock = clock
        self.number = number
    }

    /// The value under `key`, created if it is missing or the team's number has changed.
    /// - Parameter make: gets the number read before; the data it reads may be newer, never older.
    /// - Throws: `AppError.notFound` for a deleted team, or what `make` throws.
    package func value(
        of teamID: Team.ID, key: Key, make: (_ number: Int) async throws -> Value
    ) async throws -> Value {
        let now = clock.now
        let known: Value? = entries.withLock { entries in
            guard let entry = entries[teamID], let value = entry.values[key] else { return nil }
            let age = now.timeIntervalSince(entry.checked)
            let isFresh = (0..<Self.freshness).contains(age)
            if isFresh || (entry.isBeingChecked && (0..<Self.patience).contains(age)) { return value }
            entries[teamID]?.isBeingChecked = true
            return nil
        }
        if let known { return known }
        return try await refreshed(teamID, key: key, at: now, make: make)
    }

    private func refreshed(
        _ teamID: Team.ID, key: Key, at now: Date, make: (_ number: Int) async throws -> Value
    ) async throws -> Value {
        let number: Int
        do {
            guard let found = try await self.number(teamID) else { throw AppError.noSuchTeam }
            number = found
        } catch {
            entries.withLock { $0[teamID]?.isBeingChecked = false }
            throw error
        }
        let unchanged: Value? = entries.withLock { entries in
            guard var entry = entries[teamID], entry.number == number else {
                if entries.count >= Self.maximumTeams { entries.removeAll() }
                entries[teamID] = TeamEntry(number: number, checked: now)
                return nil
            }
            entry.checked = now
            entry.isBeingChecked = false
            entries[teamID] = entry
            return entry.values[key]
        }
        if let unchanged { return unchanged }
        let value = try await make(number)
        entries.withLock { entries in
            // A reader that started before another one saw a newer number must not store its result.
            guard var entry = entries[teamID], entry.number == number else { return }
            if entry.values.count >= Self.maximumValues { entry.values.removeAll() }
            entry.values[key] = value
            entries[teamID] = entry
        }
        return value
    }
}
