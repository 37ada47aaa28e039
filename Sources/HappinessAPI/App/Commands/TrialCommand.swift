import ArgumentParser
import Crypto
import Domain
import Foundation
import Ports
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
            }
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            throw error
        }
        context.output(
            """
            A copy of the installation is in \(path). It sends nothing: mails are kept in \(data)/outbox, and messages
            are logged. Start its API and its worker, with any version of the programs:

              cd \(path) && env -i \(Self.program("HappinessAPI")) serve
              cd \(path) && env -i \(Self.program("Worker"))

            Then log in at http://localhost:\(port) with the usual names and passwords. Everything there is as private as in
            the original. So delete it afterwards: rm -r \(path)
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
            ("OBJECT_STORE", "file"), ("JWT_SECRET", secrets.jwt.text), ("BALLOT_SECRET", secrets.ballot.key.text),
        ]
        if let vapid = secrets.vapid { values.append(("VAPID_PRIVATE_KEY", vapid.privateText)) }
        return try values.map { try SettingsFile.line($0.0, $0.1) + "\n" }.joined()
    }

    private func write(_ text: String, to path: String) throws {
        let isWritten = FileManager.default.createFile(
            atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        guard isWritten else { throw OperatorError("\(path) cannot be written.") }
    }

    /// The path of a program that was installed with this one.
    private static func program(_ name: String) -> String {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().appending(path: name).path
    }
}

extension SymmetricKey {
    /// As in a setting: a secret is the bytes of its text.
    fileprivate var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}
