import ArgumentParser
import AsyncHTTPClient
import Domain
import Foundation
import Logging
import ObjectStorage
import Ports
import Product
import Services
import Storage

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
        commandName: "list", abstract: "List the backups in BACKUP_DIR and BACKUP_BUCKET, the oldest at the top.",
        discussion: "It reads those that are not encrypted, and says which are damaged.")

    func run() async throws {
        try await reportingFailure {
            let all = try await Settings.load()
            guard let settings = all.backups else {
                throw OperatorError("BACKUP_DIR is not set, so the worker makes no backups.")
            }
            let backups = try BackupFolder(settings).list()
            if backups.isEmpty { ProgramOutput.print("There are no backups in \(settings.folder).") }
            for backup in backups {
                ProgramOutput.print(Self.line(backup.day, backup.size, backup.path + Self.fault(of: backup, all.store)))
            }
            guard let name = settings.bucket?.bucket else { return }
            let copies = try await withBucketClient { client in
                try await settings.makeBackupBucket(client: client, timing: S3Timing())?.list() ?? []
            }
            if copies.isEmpty { ProgramOutput.print("There are no backups in the bucket \(name).") }
            for copy in copies { ProgramOutput.print(Self.line(copy.day, copy.size, "in the bucket \(name)")) }
        }
    }

    /// Only the private key shows whether an encrypted backup is damaged: see `backups verify`.
    private static func fault(of backup: BackupFolder.Entry, _ store: StoreLocation) -> String {
        guard !backup.isEncrypted else { return "" }
        do {
            return try store.verifyChecksum(of: backup.path) ? "" : "  (without checksum)"
        } catch {
            return "  (damaged)"
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
        discussion: ProgramCall.current.pasteable(
            "It is still encrypted. To restore it: HappinessAPI restore FILE --key KEY-FILE"))

    @Argument(help: "The day of the backup, such as 2026-11-21, as `HappinessAPI backups list` shows it.")
    var day: String

    @Argument(help: "The file to write; it must not exist yet. - writes to standard output.")
    var file: OutputFile

    func run() async throws {
        try await reportingFailure {
            guard let day = CalendarDay(day) else { throw OperatorError("\(day) is not a day such as 2026-11-21.") }
            let settings = try await Settings.load()
            try await withBucketClient { client in
                guard let bucket = settings.backups?.makeBackupBucket(client: client) else {
                    throw OperatorError("BACKUP_BUCKET is not set, so there are no backups to download.")
                }
                try await file.writeFile(madeIn: settings.dataDirectory) { folder in
                    let draft = "\(folder)/backup"
                    try await bucket.download(day, to: draft)
                    return draft
                }
            }
            if !file.isStandardOutput { ProgramOutput.print("Wrote \(file.path).") }
        }
    }
}

/// `backups verify FILE`. It does not open the store: that may be lost.
struct BackupsVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Restore a backup into a scratch store, check that, and remove it. The running store is not touched.",
        discussion: """
            With SQLite the scratch store is a file in DATA_DIR; with MongoDB it is a database named like yours with \
            “_verify” at the end, for which the user in DATABASE_URL needs the role dbOwner.
            """)

    @Argument(help: "A file that `HappinessAPI backup` wrote, or one from BACKUP_DIR.")
    var file: InputFile

    @OptionGroup var decryption: BackupDecryption

    func run() async throws {
        try await reportingFailure {
            let settings = try await Settings.load()
            let records = try await decryption.withPlainFile(file, settings.dataDirectory) { plain in
                try settings.store.warnWithoutChecksum(plain, name: file.path)
                return try await TemporaryFolder.with(settings.dataDirectory) { folder in
                    try await settings.store.verify(plain, in: folder)
                }
            }
            ProgramOutput.print("\(file.path) can be restored: \(records) records.")
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
            throw OperatorError("BACKUP_DIR is not set, so there are no copies of pictures.")
        }
        let key = try decryption.privateKey()
        let objects = try await Settings.load().objects
        var restored = PictureBackup.Restored()
        var failure: (any Error)?
        do {
            try await withBucketClient { client in
                let pictures = objects.makeStore(client: client, logger: .backups)
                // As API and worker do. Another installation would delete what it does not know.
                try await InstallationMark(secret: context.secrets.ballot).claim(pictures: pictures)
                for copies in backups.makePictureStores(client: client, logger: .backups) {
                    let backup = context.backup(of: pictures, in: copies)
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

/// Runs `body` with a client for buckets, and shuts it down.
func withBucketClient<Value>(_ body: (HTTPClient) async throws -> Value) async throws -> Value {
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

extension BackupSettings {
    /// The copies of backups in the bucket; `nil` without `BACKUP_BUCKET`.
    fileprivate func makeBackupBucket(client: HTTPClient, timing: S3Timing = .backups) -> BackupBucket? {
        makeBucketStore(client: client, timing: timing, logger: .backups).map { BackupBucket(objects: $0, rule: rule) }
    }
}

extension Logger {
    /// Of the commands that use a bucket.
    static let backups = Logger(label: "backups")
}
