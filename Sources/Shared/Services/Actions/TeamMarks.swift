package import Domain
package import Ports
package import Storage

/// The marks in a team's charts that show where actions began.
package struct TeamMarks: Sendable {
    /// The change number of the team's actions before this was read: the data may be newer, never older.
    package let number: Int
    /// Ordered by sprint.
    package let marks: [HistoryMark]
}

/// A cache of the marks of teams, invalidated by changes of their actions.
package struct TeamMarksCache: Sendable {
    /// Maximum number of actions in a chart, those that began last.
    static let maximumActions = 300

    private let store: any Store
    private let cache: PublicationCache<Whole, TeamMarks>

    private enum Whole: Hashable {
        case marks
    }

    /// Creates an empty cache over the actions of a store.
    package init(store: any Store, clock: WallClock) {
        self.store = store
        cache = PublicationCache(clock: clock) { teamID in
            try await store.read { try $0.actionChangeNumber(of: teamID) }
        }
    }

    /// For callers that have checked membership.
    /// - Throws: `AppError.notFound` for a deleted team.
    package func marks(of teamID: Team.ID) async throws -> TeamMarks {
        try await cache.value(of: teamID, key: .marks) { number in
            let begun = try await store.read { try $0.begunActions(of: teamID, in: nil, limit: Self.maximumActions) }
            return TeamMarks(number: number, marks: HistoryMark.marks(of: begun))
        }
    }
}
