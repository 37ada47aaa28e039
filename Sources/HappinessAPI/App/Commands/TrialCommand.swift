import ArgumentParser
import Crypto
import Domain
import Foundation
import Ports
import Product
import Services
import Storage

/// `HappinessAPI trial`: copies an installation into a folder, for trying an upgrade or a setting.
struct TrialCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "trial", abstract: "Copy the installation into a folder, to try something there.",
        discussion: """
            The copy has all people, votes and secrets, but no pictures, and sends nothing. API and worker can keep running. \
            With MongoDB the copy is a database named like yours with “_trial” at the end, which is replaced.
            """)

    @Argument(help: "The folder, which must not exist yet.", completion: .directory)
    var folder: String

    @Option(help: "The port of its API.")
    var port = 8090

    func validate() throws {
        guard (1...65_535).contains(port) else { throw ValidationError("--port must be from 1 to 65535.") }
    }

    func run(in context: CommandContext) async throws {
        guard !FileManager.default.fileExists(atPath: folder) else {
            throw OperatorError("\(folder) exists already. Choose another name.")
        }
        let path = URL(filePath: folder).standardizedFileURL.path
        let data = "\(path)/data"
        let call = ProgramCall.current
        // It has no shell to start the copy with, and outside its settings would lead to the original.
        guard call.place != .container else {
            throw OperatorError(
                "This does not work in a container. To try an upgrade, restore a backup in a second Compose project: see "
                    + "docs/operations.md, Containers.")
        }
        try FileManager.default.createDirectory(
            atPath: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        do {
            let location = context.location.trial(dataDirectory: data)
            try await Interruption.removing(path) {
                let copy = "\(path)/copy"
                try await context.store.backUp(to: copy)
                _ = try await location.restore(copy)
                try FileManager.default.removeItem(atPath: copy)
                try write(settings(context.secrets, location: location, data: data), to: "\(path)/.env")
                // By this name the executable is the worker. A checkout may have built no `Worker`, or an old one.
                try FileManager.default.createSymbolicLink(
                    atPath: "\(path)/worker", withDestinationPath: call.executable)
            }
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            throw error
        }
        let commands = Self.commands(call, path: path)
        context.output(
            """
            A copy of the installation is in \(path). It sends nothing: mails are kept in \(data)/outbox, and messages
            are logged. Start its API and its worker, this version or another one:

              \(commands.api)
              \(commands.worker)

            Then log in at http://localhost:\(port) with the usual names and passwords. Everything there is as private as in
            the original. So delete it afterwards: \(commands.removal)
            """)
        if context.location.allowsSeveralProcesses {
            context.output("The database too: its name ends with “_trial”.")
        }
    }

    /// Settings under which nothing leaves the folder. Those that are left out have their defaults, which connect to
    /// nothing.
    /// - Throws: `OperatorError` if a value cannot be written to a file.
    private func settings(_ secrets: Secrets, location: StoreLocation, data: String) throws -> String {
        var values = [
            ("PORT", "\(port)"), ("PUBLIC_URL", "http://localhost:\(port)"), ("DATA_DIR", data),
            ("DATABASE_URL", location.setting), ("MAIL_DRIVER", "file"), ("PUSH_DRIVERS", "log"),
            ("OBJECT_STORE", "file"), ("MAIL_SUBADDRESSING", secrets.ballot.subaddressing.canonical),
            ("JWT_SECRET", secrets.jwt.text), ("BALLOT_SECRET", secrets.ballot.key.text),
        ]
        if let vapid = secrets.vapid { values.append(("VAPID_PRIVATE_KEY", vapid.privateText)) }
        return try values.map { try SettingsFile.line($0.0, $0.1) + "\n" }.joined()
    }

    private func write(_ text: String, to path: String) throws {
        let isWritten = FileManager.default.createFile(
            atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        guard isWritten else { throw OperatorError("\(path) cannot be written.") }
    }

    /// What starts the API and the worker of the copy, and what deletes it. Nothing of the environment may reach the
    /// programs: a setting there would take precedence over the copy's, and lead to the original.
    /// - Parameters:
    ///   - path: of the copy.
    ///   - call: how this program was installed; not in a container.
    static func commands(_ call: ProgramCall, path: String) -> (api: String, worker: String, removal: String) {
        let folder = ProgramCall.quoted(path)
        let executable = ProgramCall.quoted(call.executable)
        guard call.place == .package else {
            let start = "cd \(folder) && env -i"
            return ("\(start) \(executable) serve", "\(start) ./worker", "rm -r \(folder)")
        }
        // Nobody else may enter the folder.
        let start = "sudo -u happiness-metric env -i --chdir=\(folder)"
        return ("\(start) \(executable) serve", "\(start) ./worker", "sudo rm -r \(folder)")
    }
}

extension SymmetricKey {
    /// As in a setting: a secret is the bytes of its text.
    fileprivate var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}
