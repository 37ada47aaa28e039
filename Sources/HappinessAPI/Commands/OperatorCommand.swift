import ArgumentParser
import Foundation
import Shared

/// A command that works on the store and ends: opens it, runs, closes it, and tells errors in one line.
protocol OperatorCommand: AsyncParsableCommand {
    /// What the command does, apart from where the store comes from and the text goes to, so that tests can run it.
    /// - Throws: `AppError` and whatever the store throws.
    func run(in context: CommandContext) async throws

    /// Whether the store is brought to this program's schema first.
    var preparesStore: Bool { get }
}

/// What a command works with.
struct CommandContext: Sendable {
    let stores: Stores
    let hasher: PasswordHasher
    let secrets: Secrets
    /// What a new password must be.
    var passwordPolicy = PasswordPolicy.length
    let input: PasswordInput
    /// Takes one line for the operator.
    let output: @Sendable (String) -> Void

    var users: UserService {
        UserService(stores: stores, hasher: hasher, secret: secrets.ballot, passwordPolicy: passwordPolicy)
    }
    var teams: TeamService { TeamService(stores: stores, secret: secrets.ballot) }
    var reminders: ReminderService { ReminderService(stores: stores, clock: .system) }
    var invitations: InvitationService {
        InvitationService(
            stores: stores, secret: secrets.ballot, hasher: hasher, policy: passwordPolicy, clock: .system)
    }
    var pictureRemovals: PictureRemovalService { PictureRemovalService(stores: stores, clock: .system) }
    var jobs: JobService { JobService(stores: stores, clock: .system) }
}

extension OperatorCommand {
    /// Exit code 1 and the reason on standard error, should it fail.
    func run() async throws {
        do {
            let settings = try await Settings.load()
            let secrets = try Secrets.load(settings)
            let stores = try settings.store.open()
            do {
                try await run(in: stores, secrets: secrets, settings: settings)
            } catch {
                try await stores.system.close()
                throw error
            }
            try await stores.system.close()
        } catch {
            FileHandle.standardError.write(Data("Error: \(OperatorMessage.text(for: error))\n".utf8))
            throw ExitCode.failure
        }
    }

    private func run(in stores: Stores, secrets: Secrets, settings: Settings) async throws {
        if preparesStore {
            _ = try await stores.system.migrate()
            try await secrets.matchFingerprints(in: stores.system)
        }
        let hasher = try PasswordHasher(cost: settings.accounts.bcryptCost)
        try await run(
            in: CommandContext(
                stores: stores, hasher: hasher, secrets: secrets, passwordPolicy: settings.accounts.passwordPolicy,
                input: .standard,
                output: { print($0) }))
    }

    /// Yes, since the first user is added before the server has ever run.
    var preparesStore: Bool { true }
}
