import ArgumentParser
import Foundation
import Product
import Services
import Storage

/// `HappinessAPI move --to …`: copies the store from SQLite to MongoDB, or back; server and worker must be stopped.
struct MoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Copy everything from SQLite to MongoDB, or back, while API and worker are stopped.",
        discussion: """
            Reads the store in DATABASE_URL and leaves it as it is. People stay logged in, and nobody can vote twice. \
            Pictures are not in the store: they stay where they are.
            """)

    @Option(
        help: """
            The empty store to write, as DATABASE_URL would name it: mongodb://HOST/DATABASE?replicaSet=NAME or \
            sqlite:PATH. - reads it from standard input, so that no other user of the machine sees a password in it.
            """)
    var to: String

    func run() async throws {
        try await reportingFailure {
            let target = try Self.location(to)
            let settings = try await Settings.load()
            // Before anything is written there, such as secrets.
            guard !settings.store.isNew else { throw settings.missingStore }
            do {
                try await settings.store.requireMove(to: target)
            } catch StorageError.unavailable {
                throw OperatorError("The store \(target.shown) cannot be reached. Is it running, and is --to right?")
            }
            try TemporaryFolder.sweep(dataDirectory: settings.dataDirectory)
            try await Self.prepare(settings)
            let counts = try await TemporaryFolder.with(settings.dataDirectory) { folder in
                try await settings.store.move(to: target, folder: folder)
            }
            ProgramOutput.print(Self.table(counts))
            ProgramOutput.print(Self.nextSteps(from: settings, to: target))
        }
    }

    /// Migrates and checks the source, and closes it again.
    private static func prepare(_ settings: Settings) async throws {
        let secrets = try Secrets.load(settings)
        let stores = try settings.store.open()
        let result: Result<Void, any Error>
        do {
            guard try await stores.system.exists() else { throw settings.missingStore }
            _ = try await stores.system.migrate()
            try await secrets.matchFingerprints(in: stores.system)
            try await stores.system.requireSound()
            result = .success(())
        } catch {
            result = .failure(error)
        }
        try await stores.system.close()
        try result.get()
    }

    private static func location(_ text: String) throws -> StoreLocation {
        let text = text == "-" ? (readLine() ?? "") : text
        do {
            return try StoreLocation(text)
        } catch {
            // That error names DATABASE_URL. The text may contain a password.
            throw OperatorError("--to must be mongodb://HOST/DATABASE?replicaSet=NAME or sqlite:PATH.")
        }
    }

    /// The number of records and the checksum of each kind, which are the same in both stores.
    private static func table(_ counts: [MovedCount]) -> String {
        let width = counts.map(\.kind.count).max() ?? 0
        let lines = counts.map { count in
            let name = count.kind.padding(toLength: width, withPad: " ", startingAt: 0)
            let records = String(count.records)
            let padding = String(repeating: " ", count: max(0, 9 - records.count))
            return "\(name)  \(padding)\(records)  \(count.checksum)"
        }
        let sum = counts.reduce(0) { $0 + $1.records }
        return lines.joined(separator: "\n")
            + "\nCopied \(sum) records. Their numbers and checksums are the same in both stores."
    }

    private static func nextSteps(from settings: Settings, to target: StoreLocation) -> String {
        let secrets =
            target.generatesSecrets
            ? "Keep JWT_SECRET, BALLOT_SECRET and VAPID_PRIVATE_KEY as they are."
            : """
            JWT_SECRET, BALLOT_SECRET and VAPID_PRIVATE_KEY must stay the same, and be set: those that this program \
            generated are files of these names in \(settings.dataDirectory).
            """
        return """
            Next:
              1. Set DATABASE_URL to the new store, \(target.shown), for API and worker.
              2. \(secrets)
              3. Start API and worker, and make a backup: those of the old store cannot be restored to the new one.
              4. Delete the old store, \(settings.store.shown), when everything works. Start nothing on it any more: people \
            could vote in both.
            """
    }
}
