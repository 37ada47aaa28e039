import Domain
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Storage

@Suite struct SQLiteDurabilityTests {
    @Test func `The writer waits for the disk`() async throws {
        try await SQLiteFile.with { file in
            // 2 is FULL: https://www.sqlite.org/pragma.html#pragma_synchronous
            let synchronous = try await file.onWriter { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
            #expect(synchronous == 2)
            #expect(try await file.texts("PRAGMA journal_mode") == ["wal"])
            let foreignKeys = try await file.onWriter { try Bool.fetchOne($0, sql: "PRAGMA foreign_keys") }
            #expect(foreignKeys == true)
        }
    }

    @Test func `Only its owner can read the file`() async throws {
        try await SQLiteFile.with { file in
            _ = try await file.stores.makeUser()
            for suffix in ["", "-wal", "-shm"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: file.path + suffix)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "happiness.sqlite\(suffix)")
            }
        }
    }

    @Test func `A store opened again finds everything`() async throws {
        try await SQLiteFile.with { file in
            let team = try await file.stores.makeTeam()
            let voter = try await file.stores.makeVoters(1, in: team)[0]
            let sprint = try await file.stores.makeSprint(of: team)
            _ = try await file.stores.cast([voter.ballot(in: sprint, tenths: 100, feedback: "kept")])
            let job = Job(kind: "mail", runAt: Instants.now)
            _ = try await file.stores.jobs.enqueue(job)
            let record = try await file.stores.record(of: sprint)
            try await file.stores.system.close()

            let reopened = try SQLiteStorage.open(path: file.path)
            #expect(try await reopened.system.migrate().isEmpty)
            #expect(try await reopened.record(of: sprint) == record)
            #expect(try await reopened.ballots.contains(voter.receipt(in: sprint)))
            let feedback = try await reopened.ballots.feedback(
                of: sprint.key, publishedNumber: 1, secret: Voter.secret, after: nil, limit: 9)
            #expect(feedback.map(\.text) == ["kept"])
            #expect(try await reopened.user(voter.user.id)?.defaultTeamID == team.id)
            #expect(try await reopened.session(voter.session.id) == voter.session)
            #expect(try await reopened.jobs.find(id: job.id) == job)
            try await reopened.system.close()
        }
    }

    @Test func `Two connections to one file count every ballot once`() async throws {
        try await SQLiteFile.with { file in
            let other = try SQLiteStorage.open(path: file.path)
            let team = try await file.stores.makeTeam()
            let sprint = try await file.stores.makeSprint(of: team)
            let voters = try await file.stores.makeVoters(40, in: team)
            let stores = file.stores
            let outcomes = try await concurrently(80) { number in
                try await (number < 40 ? stores : other).cast([voters[number % 40].ballot(in: sprint)])[0]
            }
            #expect(outcomes.count(where: \.isCounted) == 40)
            #expect(try await other.record(of: sprint).state.current.count == 40)
            try await other.system.close()
        }
    }

    @Test func `Opening alone does not touch the schema`() async throws {
        try await TemporaryDirectory.with { directory in
            let stores = try SQLiteStorage.open(path: directory.path("new.sqlite"))
            #expect(try await stores.system.migrations().allSatisfy { !$0.isApplied })
            let ran = try await stores.system.migrate()
            #expect(try await stores.system.migrations().map(\.name) == ran)
            try await stores.system.close()
        }
    }

    @Test func `Processes that start at once migrate once`() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path("new.sqlite")
            let ran = try await concurrently(8) { _ in
                let stores = try SQLiteStorage.open(path: path)
                let ran = try await stores.system.migrate()
                #expect(try await stores.system.migrations().allSatisfy { $0.isApplied })
                try await stores.system.close()
                return ran
            }
            #expect(ran.contains { !$0.isEmpty })
        }
    }

    @Test func `A file of a newer version is refused in words`() async throws {
        try await SQLiteFile.with { file in
            try await file.onWriter {
                try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('9999-from-the-future')")
            }
            let error = await #expect(throws: SQLiteStorageError.self) { try await file.stores.system.migrate() }
            #expect(error?.description.contains("newer version") == true)
        }
    }

    @Test func `A full disk leaves nothing half-done`() async throws {
        try await SQLiteFile.with { file in
            let team = try await file.stores.makeTeam()
            let sprint = try await file.stores.makeSprint(of: team)
            let voters = try await file.stores.makeVoters(30, in: team)
            let ballots = try voters.map { try $0.ballot(in: sprint, feedback: String(repeating: "x", count: 2_000)) }
            let receipts = voters.map { $0.receipt(in: sprint) }
            try await file.onWriter { db in
                let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                try db.execute(sql: "PRAGMA max_page_count = \(pages + 2)")
            }
            await #expect(throws: StorageError.unavailable) { _ = try await file.stores.cast(ballots) }
            #expect(try await file.stores.record(of: sprint).state == .initial)
            #expect(try await file.stores.ballots.existing(among: receipts).count == 0)
            #expect(try await file.texts("SELECT id FROM feedback").isEmpty)

            try await file.onWriter { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
            #expect(try await file.stores.cast(ballots).allSatisfy { $0.isCounted })
            #expect(try await file.stores.record(of: sprint).state.current.count == 30)
        }
    }

    @Test func `On a full disk the store is not ready until writes work again`() async throws {
        try await SQLiteFile.with { file in
            let system = file.stores.system
            let team = try await file.stores.makeTeam()
            let sprint = try await file.stores.makeSprint(of: team)
            let voters = try await file.stores.makeVoters(31, in: team)
            let ballots = try voters.map { try $0.ballot(in: sprint, feedback: String(repeating: "x", count: 2_000)) }
            try await system.ping()
            #expect(system.isWritable)
            try await file.onWriter { db in
                let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                try db.execute(sql: "PRAGMA max_page_count = \(pages + 2)")
            }
            await #expect(throws: StorageError.unavailable) { _ = try await file.stores.cast(ballots) }
            #expect(!system.isWritable)
            await #expect(throws: StorageError.unavailable) { try await system.ping() }
            // A write for which there is room proves nothing about the next ballots.
            _ = try await system.fingerprint(named: "small", orStore: [1])
            await #expect(throws: StorageError.unavailable) { try await system.ping() }
            #expect(!system.isWritable)

            try await file.onWriter { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
            try await system.ping()
            #expect(system.isWritable)
            #expect(try await file.stores.cast(ballots).allSatisfy { $0.isCounted })
            #expect(system.isWritable)
            // What the ping stored is gone.
            #expect(try await system.fingerprints() == ["small": [1]])
        }
    }

    @Test(
        arguments: [
            (.SQLITE_FULL, true), (.SQLITE_READONLY_DBMOVED, true), (.SQLITE_IOERR_FSYNC, true),
            (.SQLITE_CANTOPEN, true), (.SQLITE_BUSY, false), (.SQLITE_CONSTRAINT_UNIQUE, false),
        ] as [(ResultCode, Bool)])
    func `Only errors that the next write meets too end the readiness`(code: ResultCode, isLasting: Bool) {
        #expect(SQLiteFault.preventsWrites(DatabaseError(resultCode: code)) == isLasting)
    }

    @Test(arguments: [
        ResultCode.SQLITE_BUSY, .SQLITE_IOERR, .SQLITE_FULL, .SQLITE_CANTOPEN, .SQLITE_READONLY,
        .SQLITE_IOERR_FSYNC, .SQLITE_BUSY_SNAPSHOT,
    ])
    func `Temporary errors and those an operator can fix are reported as unavailable`(code: ResultCode) {
        let meaning = SQLiteFault.meaning(of: DatabaseError(resultCode: code, message: "secret"))
        #expect(meaning as? StorageError == .unavailable)
    }

    @Test func `At the start, a file that cannot be used is named with cause and remedy`() {
        let cases: [(ResultCode, String)] = [
            (.SQLITE_READONLY, "owner and rights"), (.SQLITE_READONLY_DBMOVED, "owner and rights"),
            (.SQLITE_CANTOPEN, "owner and rights"), (.SQLITE_FULL, "the disk is full"),
            (.SQLITE_IOERR_WRITE, "its disk"), (.SQLITE_BUSY, "another program"), (.SQLITE_NOTADB, "is not a store"),
            (.SQLITE_CORRUPT, "restore a backup"),
        ]
        for (code, words) in cases {
            let error = #expect(throws: SQLiteStorageError.self) {
                try SQLiteFault.explaining(path: "/data/x") { throw DatabaseError(resultCode: code, message: "secret") }
            }
            let text = error?.description ?? ""
            #expect(text.contains("/data/x") && text.contains("DATABASE_URL") && text.contains(words), "\(text)")
            #expect(!text.contains("secret") && !text.contains("\(code.rawValue)"), "\(text)")
        }
    }

    @Test func `A folder, and a file of something else, are refused in words`() async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.path("letter.txt")
            try Data("Dear Anna, this is a letter and no database.\n".utf8).write(to: URL(fileURLWithPath: file))
            for (path, words) in [(directory.url.path, "it is not a file"), (file, "is not a store of SQLite")] {
                let error = #expect(throws: SQLiteStorageError.self) { try SQLiteStorage.open(path: path) }
                #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
            }
        }
    }

    @Test func `A file in a folder that cannot be created is refused in words`() async throws {
        try await TemporaryDirectory.with { directory in
            let obstacle = directory.path("file")
            try Data().write(to: URL(fileURLWithPath: obstacle))
            #expect(throws: SQLiteStorageError.self) { try SQLiteStorage.open(path: obstacle + "/data/x.sqlite") }
        }
    }
}
