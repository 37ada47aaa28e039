import Foundation
public import Shared

/// A mail server of one's own, by SMTP (RFC 5321, RFC 6409) through libcurl.
public struct SMTPDriver: MailDriver {
    /// Grey-listing servers and slow content filters take their time before the last reply.
    public static let standardDeadline = Duration.seconds(45)

    private let settings: SMTPSettings
    private let deadline: Duration

    /// - Parameter deadline: of one mail, from connecting to the last reply.
    public init(settings: SMTPSettings, deadline: Duration = standardDeadline) {
        self.settings = settings
        self.deadline = deadline
    }

    /// Hands the mail to the server over a connection of its own.
    ///
    /// libcurl blocks, so each mail gets a thread while it takes: beside seconds of network a thread costs nothing, and
    /// how many there are at once is bounded by how many jobs the worker runs at once.
    public func send(_ message: MailMessage) async throws {
        let transfer = SMTPTransfer(message, settings: settings, deadline: deadline)
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
