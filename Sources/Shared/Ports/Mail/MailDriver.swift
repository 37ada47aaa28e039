package import Domain

/// A delivery method for mails: a folder, a mail API, a mail server.
///
/// Delivery is at-least-once: if the response to an accepted mail is lost, the error is `unavailable`, and the next
/// attempt sends it again with the same `Message-ID`.
package protocol MailDriver: Sendable {
    /// Sends the mail. Returns once the other side has accepted responsibility for it, which does not mean delivery.
    ///
    /// Ends by its own deadline, or soon after its task is cancelled.
    /// - Throws: `MailError`; `CancellationError`.
    func send(_ message: MailMessage) async throws
}
