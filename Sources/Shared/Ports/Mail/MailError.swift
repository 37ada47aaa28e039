/// Why a mail was not sent.
///
/// The messages are stored and shown to operators, so they are written by this program, with at most a reply code: text
/// from a mail server or vendor may quote an address.
package enum MailError: Error, Equatable, Sendable {
    /// The service is unreachable, slow or busy; `retryAfter` is the delay it asked for.
    case unavailable(String, retryAfter: Duration? = nil)
    /// The mail server takes no further connection now.
    case busy(String)
    /// Rejected permanently: the same mail to the same address would fail again.
    case rejected(String)
    /// Rejected permanently because the recipient's address takes no mails: it does not exist, or no longer.
    case undeliverable(String)
    /// Every mail fails until an operator corrects a setting, here or at the service.
    case misconfigured(String)
}
