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

/// `HappinessAPI backup`: copies the store to a file while the server runs.
struct BackupCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Write a copy of the store to a file while everything else keeps running.",
        discussion: """
            The file holds no order in which anything was stored, and never BALLOT_SECRET: keep that somewhere else. \
            Pictures are not in it: the worker copies them to BACKUP_DIR. It is encrypted if BACKUP_PUBLIC_KEY is set.
            """)

    @Argument(help: "The file to write; it must not exist yet. - writes to standard output.")
    var file: OutputFile

    @Flag(help: "Don’t encrypt it, even if BACKUP_PUBLIC_KEY is set.")
    var plain = false

    func run(in context: CommandContext) async throws {
        let key = plain ? nil : context.backupKey
        try await file.writeFile(madeIn: context.dataDirectory) { folder in
            let draft = "\(folder)/backup"
            try await context.store.backUp(to: draft)
            guard let key else { return draft }
            let encrypted = "\(folder)/encrypted"
            try EncryptedBackup.encrypt(draft, into: encrypted, for: key)
            return encrypted
        }
        guard !file.isStandardOutput else { return }
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
            ProgramOutput.print(
                ProgramCall.current.pasteable(
                    "There is no admin now. To make someone one: HappinessAPI user set-role NAME admin"))
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
