import ArgumentParser
import AsyncHTTPClient
import Foundation
import Logging
import ObjectStorage
import Services

/// `HappinessAPI backup`: copies the store to a file while the server runs.
struct BackupCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Write a copy of the store to a file while everything else keeps running.",
        discussion: """
            The file holds no order in which anything was stored, and never BALLOT_SECRET: keep that somewhere else. \
            Pictures are not in it: the worker copies them to BACKUP_DIR.
            """)

    @Argument(help: "The file to write; it must not exist yet.", completion: .file())
    var file: String

    func run(in context: CommandContext) async throws {
        try await context.stores.system.backUp(to: file)
        context.output("Wrote \(file).")
    }
}

/// `HappinessAPI restore`: replaces the store by a backup; server and worker must be stopped.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Replace the store with a backup, while API and worker are stopped.",
        discussion: "BALLOT_SECRET and JWT_SECRET must be those that were set when the backup was created.")

    @Argument(help: "A file that `HappinessAPI backup` wrote, or one from BACKUP_DIR.", completion: .file())
    var file: String

    @OptionGroup var decryption: BackupDecryption

    func run() async throws {
        try await reportingFailure {
            let settings = try await Settings.load()
            let secrets = try Secrets.load(settings)
            let kept = try await decryption.withPlainFile(file) { try await settings.store.restore($0) }
            let stores = try settings.store.open()
            let result: Result<Void, any Error>
            do {
                _ = try await stores.system.migrate()
                try await secrets.matchFingerprints(in: stores.system)
                try await stores.system.requireSound()
                result = .success(())
            } catch {
                result = .failure(error)
            }
            try await stores.system.close()
            ProgramOutput.print("Restored \(file).")
            if let kept {
                ProgramOutput.print("The previous store is kept as \(kept). Remove it when everything works.")
            }
            try result.get()
        }
    }
}

/// `HappinessAPI check`: verifies the store.
struct CheckCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check whether the store is sound, as API and worker do when they start.")

    @Flag(
        help: """
            Continue with a store whose ballots and receipts don’t match. People whose receipts are lost can vote again in \
            the current sprint.
            """)
    var accept = false

    func run(in context: CommandContext) async throws {
        if accept { try await context.stores.system.acceptMismatches() }
        try await context.stores.system.requireSound()
        context.output("The \(context.stores.system.kind) store is sound.")
    }
}

/// `HappinessAPI backups …`: the daily backups of the worker.
struct BackupsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backups", abstract: "List, download and verify the backups that the worker makes every day.",
        subcommands: [
            BackupsListCommand.self, BackupsDownloadCommand.self, BackupsVerifyCommand.self,
            BackupsRestorePicturesCommand.self,
        ])
}

/// `backups list`. It does not open the store: that may be lost.
struct BackupsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the backups in BACKUP_DIR and BACKUP_BUCKET, the oldest at the top.")

    func run() async throws {
        try await reportingFailure {
            guard let settings = try await Settings.load().backups else {
                throw OperatorError("BACKUP_DIR isn’t set, so the worker makes no backups.")
            }
            let backups = try BackupFolder(settings).list()
            if backups.isEmpty { ProgramOutput.print("There are no backups in \(settings.folder).") }
            for backup in backups { ProgramOutput.print(Self.line(backup.day, backup.size, backup.path)) }
            guard let name = settings.bucket?.bucket else { return }
            let copies = try await withBucketClient { client in
                try await settings.makeBackupBucket(client: client, timing: S3Timing(), logger: .backups)?.list() ?? []
            }
            if copies.isEmpty { ProgramOutput.print("There are no backups in the bucket \(name).") }
            for copy in copies { ProgramOutput.print(Self.line(copy.day, copy.size, "in the bucket \(name)")) }
        }
    }

    private static func line(_ day: CalendarDay, _ size: Int, _ place: String) -> String {
        "\(day)  \(size.formatted(.byteCount(style: .file)))  \(place)"
    }
}

/// `backups download DAY FILE`. It does not open the store: that may be lost.
struct BackupsDownloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "download", abstract: "Download a backup from BACKUP_BUCKET.",
        discussion: "It is still encrypted. To restore it: HappinessAPI restore FILE --key KEY-FILE")

    @Argument(help: "The day of the backup, such as 2026-11-21, as `HappinessAPI backups list` shows it.")
    var day: String

    @Argument(help: "The file to write; it must not exist yet.", completion: .file())
    var file: String

    func run() async throws {
        try await reportingFailure {
            guard let day = CalendarDay(day) else { throw OperatorError("\(day) isn’t a day such as 2026-11-21.") }
            let settings = try await Settings.load()
            try await withBucketClient { client in
                guard let bucket = settings.backups?.makeBackupBucket(client: client, logger: .backups) else {
                    throw OperatorError("BACKUP_BUCKET isn’t set, so there are no backups to download.")
                }
                try await bucket.download(day, to: file)
            }
            ProgramOutput.print("Wrote \(file).")
        }
    }
}

/// Runs `body` with a client for buckets, and shuts it down.
private func withBucketClient<Value>(_ body: (HTTPClient) async throws -> Value) async throws -> Value {
    let client = HTTPClient(configuration: S3ObjectStore.clientConfiguration)
    let result: Result<Value, any Error>
    do {
        result = .success(try await body(client))
    } catch {
        result = .failure(error)
    }
    try await client.shutdown()
    return try result.get()
}

/// `backups verify FILE`. It does not open the store: that may be lost.
struct BackupsVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Restore a backup into a scratch store, check that, and remove it. The running store isn’t touched.",
        discussion: """
            With SQLite the scratch store is a file beside the backup; with MongoDB it is a database named like yours with \
            “_verify” at the end, for which the user in DATABASE_URL needs the role dbOwner.
            """)

    @Argument(help: "A file that `HappinessAPI backup` wrote, or one from BACKUP_DIR.", completion: .file())
    var file: String

    @OptionGroup var decryption: BackupDecryption

    func run() async throws {
        try await reportingFailure {
            let location = try await Settings.load().store
            let records = try await decryption.withPlainFile(file) { try await location.verify($0) }
            ProgramOutput.print("\(file) can be restored: \(records) records.")
        }
    }
}

/// `backups restore-pictures`
struct BackupsRestorePicturesCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore-pictures",
        abstract: "Restore missing pictures from their copies in BACKUP_DIR and BACKUP_BUCKET.",
        discussion: "API and worker can keep running. Restore the store first: only pictures of its users come back.")

    @OptionGroup var decryption: BackupDecryption

    func run(in context: CommandContext) async throws {
        guard let backups = context.backups else {
            throw OperatorError("BACKUP_DIR isn’t set, so there are no copies of pictures.")
        }
        let key = try decryption.key.map { try BackupKey.privateKey(file: $0) }
        let objects = try await Settings.load().objects
        var restored = PictureBackup.Restored()
        var failure: (any Error)?
        do {
            try await withBucketClient { client in
                let pictures = objects.makeStore(client: client, logger: .backups)
                for copies in backups.makePictureStores(client: client, logger: .backups) {
                    let backup = PictureBackup(stores: context.stores, pictures: pictures, copies: copies)
                    restored.add(try await backup.restore(with: key))
                }
            }
        } catch {
            failure = error
        }
        let count = restored.objects.count
        // Each picture is stored in several sizes and formats.
        context.output("Restored \(count) picture \(count == 1 ? "file" : "files").")
        if let failure { throw failure }
        if !restored.unreadable.isEmpty {
            throw OperatorError(
                "\(restored.unreadable.count) could not be restored: the copies are damaged, or encrypted to another key."
            )
        }
    }
}

/// `HappinessAPI backup-key`: the keys for encrypted backups.
struct BackupKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup-key", abstract: "Create the two keys for encrypted backups.",
        discussion: "Changes nothing. Each run prints other keys.")

    func run() async throws {
        let pair = BackupKey.makePair()
        try await reportingFailure {
            ProgramOutput.print(
                """
                Set this on every worker. Backups are then encrypted to it:

                  BACKUP_PUBLIC_KEY=\(pair.publicText)

                Keep this away from the server, such as in a password manager. Without it no backup can be restored:

                  \(pair.privateText)
                """)
        }
    }
}

/// Reads encrypted backups.
struct BackupDecryption: ParsableArguments {
    @Option(
        help: "For an encrypted backup: a file with the private key that `HappinessAPI backup-key` printed.",
        completion: .file())
    var key: String?

    /// Runs `body` with a file that is not encrypted: `file` itself, or a copy beside it, which is removed afterwards.
    /// - Throws: `OperatorError` without the key or for a wrong one, or what `body` throws.
    func withPlainFile<Result>(_ file: String, _ body: (String) async throws -> Result) async throws -> Result {
        guard try EncryptedBackup.isOne(file) else { return try await body(file) }
        guard let key else {
            throw OperatorError("This backup is encrypted. Name the file with the private key: --key FILE")
        }
        let plain = "\(file).\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: plain) }
        try EncryptedBackup.decrypt(file, into: plain, with: BackupKey.privateKey(file: key))
        return try await body(plain)
    }
}

extension Logger {
    /// Of the commands that use a bucket.
    fileprivate static let backups = Logger(label: "backups")
}
