/// Why a mail was not handed over.
///
/// The words are kept and shown to operators, so they are this program's own, with at most a reply code: a mail
/// server's or vendor's text may quote an address.
public enum MailError: Error, Equatable, Sendable {
    /// The way out is away, slow or busy; `retryAfter` is how long it asked to be left alone.
    case unavailable(String, retryAfter: Duration? = nil)
    /// Refused for good: the same mail would be refused again, until somebody changes the settings or the address.
    case refused(String)
}

extension JobError {
    /// What a mail's failure means for the job that sends it.
    public init(_ error: MailError) {
        switch error {
        case .unavailable(let what, let retryAfter): self = .unavailable(what, retryAfter: retryAfter)
        case .refused(let why): self = .refused(why)
        }
    }
}
