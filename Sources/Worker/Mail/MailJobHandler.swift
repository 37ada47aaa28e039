import Shared

/// A handler of one kind of mail: as patient as `MailSender` says.
///
/// A worker that dies after the mail has left and before that is noted sends it again: at least once, never not at all.
protocol MailJobHandler: JobHandler {
    /// Which mail.
    var mailKind: MailJobKind { get }
}

extension MailJobHandler {
    var kind: String { mailKind.rawValue }
    var maximumAttempts: Int { MailSender.maximumAttempts }
    var deadline: Duration { MailSender.deadline }
}
