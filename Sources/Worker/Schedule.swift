import Shared

extension Schedule {
    /// What every worker sees to by the clock.
    static let worker = Schedule([
        Entry(kind: CloseSprints.kind, every: .minute),
        Entry(kind: DeleteDoneJobs.kind, every: .hour),
        Entry(kind: DeleteExpiredLinks.kind, every: .hour),
        Entry(kind: DeleteExpiredSessions.kind, every: .day),
    ])
}
