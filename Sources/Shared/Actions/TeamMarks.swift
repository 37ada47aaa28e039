/// Where the actions of a team began, as its charts mark them.
public struct TeamMarks: Sendable {
    /// The number of changes of the team's actions when this was read: what is here may be newer, never older.
    public let number: Int
    /// In order of their sprints.
    public let marks: [HistoryMark]
}

/// The marks of teams, from a cache that follows the changes of their actions.
public struct TeamMarksCache: Sendable {
    /// Actions a chart names, those that began last.
    static let maximumActions = 300

    private let actions: any ActionStore
    private let cache: PublicationCache<Whole, TeamMarks>

    private enum Whole: Hashable {
        case marks
    }

    /// An empty cache over the actions of a store.
    public init(actions: any ActionStore, clock: WallClock) {
        self.actions = actions
        cache = PublicationCache(clock: clock) { try await actions.changeNumber(of: $0) }
    }

    /// For callers that have checked membership.
    /// - Throws: `AppError.notFound` for a team that is gone.
    public func marks(of teamID: Team.ID) async throws -> TeamMarks {
        try await cache.value(of: teamID, key: .marks) { number in
            let begun = try await actions.listBegun(teamID: teamID, in: nil, limit: Self.maximumActions)
            return TeamMarks(number: number, marks: HistoryMark.marks(of: begun))
        }
    }
}
