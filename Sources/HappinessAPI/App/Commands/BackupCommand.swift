import ArgumentParser
import AsyncHTTPClient
import Crypto
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
            Pictures are not in it: the worker copies them to BACKUP_DIR. It is encrypted if BACKUP_PUBLIC_KEY is set.
            """)

    @Argument(help: "The file to write; it must not exist yet.")
    var file: OutputFile

    @Flag(help: "Don’t encrypt it, even if BACKUP_PUBLIC_KEY is set.")
    var plain = false

    func run(in context: CommandContext) async throws {
        let key = plain ? nil : context.backupKey
        try await file.write { target in
            try await TemporaryFolder.with(context.dataDirectory) { folder in
                let draft = "\(folder)/backup"
                try await context.store.backUp(to: draft)
                guard let key else { return try target.write(contentsOfFile: draft) }
                let encrypted = "\(folder)/encrypted"
                try EncryptedBackup.encrypt(draft, into: encrypted, for: key)
                try target.write(contentsOfFile: encrypted)
            }
        }
        context.output(key == nil ? "Wrote \(file.path)." : "Wrote \(file.path), encrypted to BACKUP_PUBLIC_KEY.")
    }
}

/// `HappinessAPI restore`: replaces the store by a backup; server and worker must be stopped.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Replace the store with a backup, while API and worker are stopped.",
        discussion: """
            BALLOT_SECRET, JWT_SECRET and VAPID_PRIVATE_KEY must be those that were set when the backup was created. \
            Otherwise nothing is changed. Accounts, teams and pictures that were deleted since the backup are deleted \
            again.
            """)

    @Argument(help: "A file that `HappinessAPI backup` wrote, or one from BACKUP_DIR.")
    var file: InputFile

    @Flag(
        help: """
            Continue with other secrets than those of the backup. People may have to log in again, and may be able to vote \
            once more in running sprints: see “Secrets” in docs/operations.md.
            """)
    var withOtherSecrets = false

    @Flag(
        help: """
            Continue although it may be unknown who was deleted since the backup. These people come back, and must be \
            deleted again by hand: see “Restoring” in docs/operations.md.
            """)
    var withoutDeletions = false

    @OptionGroup var decryption: BackupDecryption

    func run() async throws {
        try await reportingFailure {
            let settings = try await Settings.load()
            let keepsFingerprints = !withOtherSecrets
            let requiresDeletions = !withoutDeletions
            let known = try await withBucketClient { client in
                let bucket = settings.backups?.makeBucketStore(client: client, timing: S3Timing(), logger: .backups)
                return try await KnownDeletions.read(settings, bucket: bucket)
            }
            let repeatDeletions: @Sendable (Stores) async throws -> Void = { stores in
                try await Self.repeatDeletions(known, in: stores, secrets: try Secrets.load(settings))
            }
            let kept = try await decryption.withPlainFile(file, settings.dataDirectory) { plain in
                try settings.store.warnWithoutChecksum(plain, name: file.path)
                return try await Self.removingDraft(of: settings.store) {
                    try await settings.store.restore(
                        plain, keepsFingerprints: keepsFingerprints,
                        check: { backup in
                            if keepsFingerprints { try Self.requireSecrets(settings, backup.fingerprints) }
                            if requiresDeletions { try known.require(for: backup) }
                            // Generates those that are missing, and fails if one is unusable, before anything is
                            // changed.
                            let secrets = try Secrets.load(settings)
                            let today = CalendarDay(instant: Date(), in: .gmt)
                            try known.save(settings, secret: secrets.ballot, on: today)
                        }, complete: known.all.isEmpty ? nil : repeatDeletions)
                }
            }
            try KnownDeletions.removeSaved(settings)
            let secrets = try Secrets.load(settings)
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
            ProgramOutput.print("Restored \(file.path).")
            if let kept {
                ProgramOutput.print("The previous store is kept as \(kept). Remove it when everything works.")
            }
            try result.get()
        }
    }
}

extension RestoreCommand {
    /// If the command is interrupted, the part of the new store that has been written is removed.
    private static func removingDraft<Value>(
        of store: StoreLocation, _ body: () async throws -> Value
    ) async throws -> Value {
        guard let draft = store.restoreDraft else { return try await body() }
        return try await Interruption.removing(draft, body)
    }

    /// Deletes again what was deleted since the backup, and says how much that was.
    private static func repeatDeletions(
        _ known: KnownDeletions, in stores: Stores, secrets: Secrets
    ) async throws {
        // The lists may have been lost, too.
        try await stores.write { try $0.remember(known.all) }
        let changes = try await RepeatedDeletions(stores: stores, secrets: secrets, clock: .system).apply(known.hashes)
        let (accounts, teams, pictures) = (changes.accounts, changes.teams, changes.pictures)
        ProgramOutput.print(
            """
            Deleted again what was deleted since the backup: \(accounts) \(accounts == 1 ? "account" : "accounts"), \
            \(teams) \(teams == 1 ? "team" : "teams"), \(pictures) \(pictures == 1 ? "picture" : "pictures").
            """)
        if let day = known.listed { ProgramOutput.print("The list of deletions was last written on \(day).") }
        for team in changes.teamsWithoutLead { ProgramOutput.print("The team \(team) has no lead now.") }
        if changes.hasNoAdmin {
            ProgramOutput.print("There is no admin now. `HappinessAPI user set-role` makes someone one.")
        }
    }

    /// - Throws: `OperatorError` that names all secrets that differ from those of the backup.
    private static func requireSecrets(_ settings: Settings, _ fingerprints: [String: [UInt8]]) throws {
        do {
            try Secrets.requireMatch(settings, fingerprints)
        } catch let error as SettingsError {
            throw OperatorError(
                """
                \(error)
                Nothing was changed. Set the secrets of the backup, or add --with-other-secrets.
                """)
        }
    }
}

/// `HappinessAPI check`: verifies the store.
struct CheckCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check whether the store is sound, as API and worker do when they start.")

    @Flag(
        help: """
            Continue with a store whose ballots and receipts do not match. People whose receipts are lost can vote again in \
            the current sprint.
            """)
    var accept = false

    func run(in context: CommandContext) async throws {
        if accept { try await context.store.acceptMismatches() }
        try await context.store.requireSound()
        context.output("The \(context.store.kind) store is sound.")
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
                ProgramOutput.print(
                    Self.line(backup.day, backup.size, backup.path + Self.fault(of: backup, all.store)))
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
        discussion: "It is still encrypted. To restore it: HappinessAPI restore FILE --key KEY-FILE")

    @Argument(help: "The day of the backup, such as 2026-11-21, as `HappinessAPI backups list` shows it.")
    var day: String

    @Argument(help: "The file to write; it must not exist yet.")
    var file: OutputFile

    func run() async throws {
        try await reportingFailure {
            guard let day = CalendarDay(day) else { throw OperatorError("\(day) is not a day such as 2026-11-21.") }
            let settings = try await Settings.load()
            try await withBucketClient { client in
                guard let bucket = settings.backups?.makeBackupBucket(client: client) else {
                    throw OperatorError("BACKUP_BUCKET is not set, so there are no backups to download.")
                }
                try await file.write { target in
                    try await TemporaryFolder.with(settings.dataDirectory) { folder in
                        try await bucket.download(day, to: "\(folder)/backup")
                        try target.write(contentsOfFile: "\(folder)/backup")
                    }
                }
            }
            ProgramOutput.print("Wrote \(file.path).")
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
        help: """
            For an encrypted backup: a file with the private key that `HappinessAPI backup-key` printed; - reads standard \
            input.
            """)
    var key: InputFile?

    /// - Returns: `nil` without `--key`.
    /// - Throws: `OperatorError` if the file has no key, or an error of the file system.
    func privateKey() throws -> Curve25519.KeyAgreement.PrivateKey? {
        try key.map { try BackupKey.privateKey($0.open(), name: $0.path) }
    }

    /// Runs `body` with the path of a file that is not encrypted: `file` itself, or a copy, which is removed afterwards.
    /// - Parameter dataDirectory: for the copy.
    /// - Throws: `OperatorError` without the key or for a wrong one, or what `body` throws.
    func withPlainFile<Result>(
        _ file: InputFile, _ dataDirectory: String, _ body: (String) async throws -> Result
    ) async throws -> Result {
        try await TemporaryFolder.with(dataDirectory) { folder in
            let readable = try file.readable(in: folder)
            guard try EncryptedBackup.isOne(readable) else { return try await body(readable) }
            guard let key = try privateKey() else {
                throw OperatorError("This backup is encrypted. Name the file with the private key: --key FILE")
            }
            let plain = "\(folder)/plain"
            try EncryptedBackup.decrypt(readable, into: plain, with: key)
            return try await body(plain)
        }
    }
}

extension BackupSettings {
    /// The copies of backups in the bucket; `nil` without `BACKUP_BUCKET`.
    fileprivate func makeBackupBucket(client: HTTPClient, timing: S3Timing = .backups) -> BackupBucket? {
        makeBucketStore(client: client, timing: timing, logger: .backups).map { BackupBucket(objects: $0, rule: rule) }
    }
}

extension StoreLocation {
    /// Prints a warning if nothing proves that a backup is undamaged.
    /// - Throws: an error with an operator's message if it is damaged.
    fileprivate func warnWithoutChecksum(_ plain: String, name: String) throws {
        guard try !verifyChecksum(of: plain) else { return }
        ProgramOutput.report(Data("Warning: \(name) has no checksum, so small damage cannot be noticed.\n".utf8))
    }
}

extension Logger {
    /// Of the commands that use a bucket.
    fileprivate static let backups = Logger(label: "backups")
}
