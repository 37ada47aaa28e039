/// The default store: one SQLite file on a local disk, for one API process and one worker.
package enum SQLiteStorage {
    /// Opens the file at `path`. Creates it with mode 0600, and its folder, if they do not exist. Does not change the
    /// schema: `Stores.system.migrate()` does.
    /// - Throws: an `OperatorProblem` if the file or its disk cannot be used, or SQLite would not write durably.
    package static func open(path: String) throws -> Stores {
        let database = try SQLiteDatabase(path: path)
        return Stores(
            rows: SQLiteStore(database: database),
            reminders: SQLiteReminderSettingsStore(database: database),
            absences: SQLiteAbsenceStore(database: database),
            sprints: SQLiteSprintStore(database: database),
            ballots: SQLiteBallotStore(database: database),
            ballotKeys: SQLiteBallotKeyStore(database: database),
            devices: SQLiteDeviceStore(database: database),
            jobs: SQLiteJobStore(database: database),
            deliveries: SQLiteDeliveryStore(database: database),
            experiments: SQLiteExperimentStore(database: database),
            actions: SQLiteActionStore(database: database),
            clientErrors: SQLiteClientErrorStore(database: database),
            processes: SQLiteProcessStore(database: database),
            texts: SQLiteTextStore(database: database),
            deletions: SQLiteDeletionStore(database: database),
            system: SQLiteSystemStore(database: database))
    }
}
