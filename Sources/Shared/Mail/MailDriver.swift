/// A way out for mails: a folder, a mail API, a mail server.
///
/// Sending is at-least-once: when the answer to a mail that was taken is lost, the error says `unavailable`, and the
/// next attempt sends it again under the same `Message-ID`.
public protocol MailDriver: Sendable {
    /// Hands the mail over. Returns once the other side has taken responsibility for it, which is not delivery.
    ///
    /// Ends by its own deadline, and soon after its task is cancelled.
    /// - Throws: `MailError`; `CancellationError`.
    func send(_ message: MailMessage) async throws
}
