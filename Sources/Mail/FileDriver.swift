package import Domain
import Foundation
import Ports

#if canImport(Glibc)
import Glibc
#endif

/// Writes mails to `.eml` files, which every mail program opens, and prints their links: for trying the product on one
/// machine.
package struct FileDriver: MailDriver {
    private let outbox: URL
    private let output: @Sendable (String) -> Void

    /// - Parameters:
    ///   - outbox: folder of the files; created if missing, readable by its owner only, since the links give access to
    ///     accounts.
    ///   - output: prints one line per mail, with the file and the link: to the console, never to a log.
    package init(outbox: String, output: @escaping @Sendable (String) -> Void) {
        self.outbox = URL(fileURLWithPath: outbox)
        self.output = output
    }

    /// Writes the file; it appears under its name only when it is complete and on the disk.
    /// - Throws: `MailError.unavailable` if the folder is not writable.
    package func send(_ message: MailMessage) async throws {
        let name = "\(UTCDate(message.date).fileNameText)-\(message.id).eml"
        let file = outbox.appendingPathComponent(name)
        do {
            try FileManager.default.createDirectory(
                at: outbox, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let part = outbox.appendingPathComponent(".\(name).\(MailMessage.ID.random()).part")
            try write(MIMEMessage(message).bytes, to: part)
            // An earlier attempt may have written it: one mail is one file.
            guard unsafe rename(part.path, file.path) == 0 else { throw POSIXError(.EIO) }
        } catch {
            throw MailError.unavailable("the outbox folder cannot be written to")
        }
        output("mail: \(file.path)" + (message.link.map { "\n      \($0)" } ?? ""))
    }

    private func write(_ bytes: [UInt8], to part: URL) throws {
        guard
            FileManager.default.createFile(atPath: part.path, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw POSIXError(.EIO) }
        let handle = try FileHandle(forWritingTo: part)
        defer { try? handle.close() }
        try handle.write(contentsOf: Data(bytes))
        try handle.synchronize()
    }
}
