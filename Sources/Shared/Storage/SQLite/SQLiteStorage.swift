/// The default store: one SQLite file on a local disk, for one API process and one worker.
package enum SQLiteStorage {
    /// Opens the file at `path`. Creates it with mode 0600, and its folder, if they do not exist. Does not change the
    /// schema: `Stores.system.migrate()` does.
    /// - Throws: an `OperatorProblem` if the file or its disk cannot be used, or SQLite would not write durably.
    package static func open(path: String) throws -> Stores {
        let database = try SQLiteDatabase(path: path)
        return Stores(
            rows: SQLiteStore(database: database),
            ballots: SQLiteBallotStore(database: database),
            ballotKeys: SQLiteBallotKeyStore(database: database),
            jobs: SQLiteJobStore(database: database),
            system: SQLiteSystemStore(database: database))
    }
}
