import Domain

extension Schedule {
    /// The periodic jobs of every worker.
    static let worker = Schedule([
        Entry(kind: CloseSprints.kind, every: .minute),
        Entry(kind: PlanReminders.kind, every: .minute),
        Entry(kind: DeleteRefreshTimes.kind, every: .minute),
        Entry(kind: CreateBallotKeys.kind, every: .hour),
        Entry(kind: PlanResultMails.kind, every: .hour),
        Entry(kind: MeasureExperiments.kind, every: .hour),
        Entry(kind: DeleteDoneJobs.kind, every: .hour),
        Entry(kind: DeleteExpiredLinks.kind, every: .hour),
        Entry(kind: DeleteStaleProcesses.kind, every: .hour),
        Entry(kind: DeleteOldClientErrors.kind, every: .day),
        Entry(kind: DeleteExpiredSessions.kind, every: .day),
        Entry(kind: DeleteOldFeedback.kind, every: .day),
        Entry(kind: DeleteStaleDevices.kind, every: .day),
        Entry(kind: DeletePastAbsences.kind, every: .day),
        Entry(kind: DeleteUnusedPictures.kind, every: .day),
    ])

    /// With the jobs of workers that have a folder for backups. Others must not add them, since they could not do them.
    static let workerWithBackups = Schedule(
        worker.entries + [Entry(kind: MakeBackup.kind, every: .day), Entry(kind: CopyDeletions.kind, every: .hour)])
}
