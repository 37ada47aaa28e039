import Domain
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
    var patience: Duration? { mailKind.patience }
    var deadline: Duration { MailSender.deadline }
}

extension MailJobKind {
    /// How long a mail is tried again: as long as its link would be valid, and mails without one for a day. An outage of
    /// a mail provider takes hours.
    var patience: Duration {
        switch self {
        case .passwordReset: .seconds(OneTimeToken.Purpose.passwordReset.lifetime)
        case .emailChange: .seconds(OneTimeToken.Purpose.emailChange.lifetime)
        case .invitation: .seconds(OneTimeToken.Purpose.invitation.lifetime)
        case .registration: .seconds(OneTimeToken.Purpose.registration.lifetime)
        case .passwordChanged, .emailChanged, .identityLinked, .teamRequest, .result: .seconds(86_400)
        // Who sent it looks at the page for minutes, and sends the next one after that.
        case .test: .seconds(3_600)
        }
    }
}
