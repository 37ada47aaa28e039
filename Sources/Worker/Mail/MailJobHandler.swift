import Services

/// A handler of one kind of mail, with the limits of `MailSender`.
///
/// If a worker dies after sending a mail and before recording it, the mail is sent again: at least once.
protocol MailJobHandler: JobHandler {
    /// The kind of mail.
    var mailKind: MailJobKind { get }
}

extension MailJobHandler {
    var kind: String { mailKind.rawValue }
    var maximumAttempts: Int { MailSender.maximumAttempts }
    var deadline: Duration { MailSender.deadline }
}
