package import Domain
import Foundation
package import Ports

/// Sends through a mail server by SMTP (RFC 5321, RFC 6409), using libcurl.
package struct SMTPDriver: MailDriver {
    /// Servers with grey-listing or slow content filters take a long time for the last reply.
    package static let standardDeadline = Duration.seconds(45)

    private let settings: SMTPSettings
    private let deadline: Duration

    /// - Parameter deadline: for one mail, from connecting to the last reply.
    package init(settings: SMTPSettings, deadline: Duration = standardDeadline) {
        self.settings = settings
        self.deadline = deadline
    }

    /// Sends the mail over a new connection.
    ///
    /// libcurl blocks, so each mail gets its own thread. Compared to seconds of network time a thread costs nothing,
    /// and the worker limits the number of concurrent jobs.
    package func send(_ message: MailMessage) async throws {
        try await run(SMTPTransfer(message, settings: settings, deadline: deadline))
    }

    /// Connects, encrypts and logs in as for a mail, and sends none.
    /// - Throws: `MailError`, or `CancellationError`.
    package func check() async throws {
        try await run(SMTPTransfer(checking: settings, deadline: deadline))
    }

    private func run(_ transfer: SMTPTransfer) async throws {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let thread = Thread { continuation.resume(returning: transfer.perform()) }
                thread.name = "smtp"
                thread.start()
            }
        } onCancel: {
            transfer.cancel()
        }
        switch outcome {
        case .sent: return
        case .cancelled: throw CancellationError()
        case .failed(let error): throw error
        }
    }
}
