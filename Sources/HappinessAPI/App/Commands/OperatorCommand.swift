import ArgumentParser
import Crypto
import Domain
import Foundation
import Logging
import Ports
import Product
import Services
import Storage

/// A command that opens the store, runs, and closes it again. Errors are printed in one line.
protocol OperatorCommand: AsyncParsableCommand {
    /// Runs the command. The context provides the store and the output, so that tests can run it too.
    /// - Throws: `AppError`, and the store's errors.
    func run(in context: CommandContext) async throws

    /// Whether to migrate the store first.
    var preparesStore: Bool { get }

    /// Whether the command may create the store. Others reject if there is none: a wrong folder or URL would otherwise
    /// look like an empty store.
    var createsStore: Bool { get }
}

/// The services and the output of a command.
struct CommandContext: Sendable {
    let stores: Stores
    let hasher: PasswordHasher
    let secrets: Secrets
    /// The rules for a new password.
    var passwordPolicy = PasswordPolicy.length
    /// As `ServerSettings.publicURL`.
    var publicURL = ""
    /// As `Settings.store`.
    let location: StoreLocation
    /// As `Settings.dataDirectory`.
    var dataDirectory = "data"
    /// As `Settings.backups`.
    var backups: BackupSettings?
    /// As `Settings.backupKey`.
    var backupKey: Curve25519.KeyAgreement.PublicKey?
    /// As `Settings.objects`.
    var objects: ObjectSettings?
    let input: PasswordInput
    /// Prints one line for the operator.
    let output: @Sendable (String) -> Void

    var users: UserService {
        UserService(stores: stores, hasher: hasher, secret: secrets.ballot, passwordPolicy: passwordPolicy)
    }
    var setup: SetupService {
        SetupService(stores: stores, hasher: hasher, secret: secrets.ballot, policy: passwordPolicy, clock: .system)
    }
    var teams: TeamService { TeamService(stores: stores, secret: secrets.ballot) }
    var reminders: ReminderService { ReminderService(stores: stores, clock: .system) }
    var invitations: InvitationService {
        InvitationService(
            stores: stores, secret: secrets.ballot, hasher: hasher, policy: passwordPolicy, clock: .system)
    }
    var pictureRemovals: PictureRemovalService {
        PictureRemovalService(stores: stores, secret: secrets.ballot, clock: .system)
    }
    var jobs: JobService { JobService(stores: stores, clock: .system) }
    var store: StoreService { StoreService(stores: stores) }
    var historyImport: HistoryImport { HistoryImport(stores: stores, clock: .system) }
    var classicImport: ClassicImport { ClassicImport(stores: stores, secret: secrets.ballot, clock: .system) }
    var export: InstallationExport { InstallationExport(stores: stores, secret: secrets.ballot, clock: .system) }
    var sprintReopening: SprintReopening { SprintReopening(stores: stores, clock: .system) }

    func clockCheck(logger: Logger) -> ClockCheck {
        ClockCheck(stores: stores, ownID: nil, clock: .system, logger: logger)
    }

    func pictures(in objects: any ObjectStore, maker: any PictureMaker, logger: Logger) -> PictureService {
        PictureService(stores: stores, objects: objects, maker: maker, secrets: secrets, clock: .system, logger: logger)
    }

    func backup(of pictures: any ObjectStore, in copies: any ObjectStore) -> PictureBackup {
        PictureBackup(stores: stores, pictures: pictures, copies: copies)
    }
}

extension AsyncParsableCommand {
    /// Runs `body`. If that fails, or what it printed cannot be written, reports the reason on standard error and exits
    /// with code 1.
    /// - Throws: `ExitCode`.
    func reportingFailure(_ body: () async throws -> Void) async throws {
        do {
            try await body()
            try ProgramOutput.requireWritten()
        } catch {
            ProgramOutput.report(Data("Error: \(OperatorMessage.text(for: error))\n".utf8))
            throw ExitCode.failure
        }
    }
}

extension OperatorCommand {
    /// On failure, prints the reason to standard error and exits with code 1.
    func run() async throws {
        try await reportingFailure {
            let settings = try await Settings.load()
            // Before anything is written there, such as secrets.
            guard createsStore || !settings.store.isNew else { throw settings.missingStore }
            try TemporaryFolder.sweep(dataDirectory: settings.dataDirectory)
            let secrets = try Secrets.load(settings)
            let stores = try settings.store.open()
            do {
                if !createsStore, try await !stores.system.exists() { throw settings.missingStore }
                try await run(in: stores, secrets: secrets, settings: settings)
            } catch {
                try await stores.system.close()
                throw error
            }
            try await stores.system.close()
        }
    }

    private func run(in stores: Stores, secrets: Secrets, settings: Settings) async throws {
        if preparesStore {
            _ = try await stores.system.migrate()
            try await secrets.matchFingerprints(in: stores.system)
            if let notice = try await secrets.subaddressingNotice(in: stores.system) {
                ProgramOutput.report(Data("Warning: \(notice)\n".utf8))
            }
        }
        let hasher = try PasswordHasher(cost: settings.accounts.bcryptCost)
        try await run(
            in: CommandContext(
                stores: stores, hasher: hasher, secrets: secrets, passwordPolicy: settings.accounts.passwordPolicy,
                publicURL: settings.server.publicURL, location: settings.store,
                dataDirectory: settings.dataDirectory, backups: settings.backups, backupKey: settings.backupKey,
                objects: settings.objects, input: .standard, output: { ProgramOutput.print($0) }))
    }

    var preparesStore: Bool { true }

    var createsStore: Bool { false }
}
