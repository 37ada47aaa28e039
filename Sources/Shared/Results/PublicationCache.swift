public import Foundation
import Synchronization

/// Answers made from a team's publications, kept until the team's publication number moves; or from something else of a
/// team whose changes a number counts.
///
/// The number is read again at most once a second and by one reader at a time, so every process of an installation
/// shows a publication within a second, and a team's history costs the store one small read a second, however many
/// look at it.
public final class PublicationCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct TeamEntry {
        var number: Int
        var checked: Date
        var isBeingChecked = false
        var values: [Key: Value] = [:]
    }

    /// Seconds for which a number counts as read.
    public static var freshness: TimeInterval { 1 }
    /// Seconds after which readers stop taking what is being checked and look for themselves.
    private static var patience: TimeInterval { 3 }
    private static var maximumTeams: Int { 2_000 }
    private static var maximumValues: Int { 64 }

    private let number: @Sendable (Team.ID) async throws -> Int?
    private let clock: WallClock
    private let entries = Mutex<[Team.ID: TeamEntry]>([:])

    /// An empty cache over the numbers in `teams`.
    public convenience init(teams: any TeamStore, clock: WallClock) {
        self.init(clock: clock) { try await teams.publicationNumber(of: $0) }
    }

    /// An empty cache over other numbers.
    /// - Parameter number: grows with every change of what the values are made from; `nil` for a team that is gone.
    public init(clock: WallClock, number: @escaping @Sendable (Team.ID) async throws -> Int?) {
        self.clock = clock
        self.number = number
    }

    /// The value under `key`, made if it is not there or the team's number has moved.
    /// - Parameter make: is given the number read before; what it reads may be newer, never older.
    /// - Throws: `AppError.notFound` for a team that is gone, or what `make` throws.
    public func value(
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
            // A reader that began before another one saw a newer number must not store what it read.
            guard var entry = entries[teamID], entry.number == number else { return }
            if entry.values.count >= Self.maximumValues { entry.values.removeAll() }
            entry.values[key] = value
            entries[teamID] = entry
        }
        return value
    }
}
