package import Ports

extension MailError: JobFailure {
    package var jobError: JobError {
        switch self {
        case .unavailable(let what, let retryAfter): .unavailable(what, retryAfter: retryAfter)
        case .busy(let what): .unavailable(what)
        case .rejected(let why): .rejected(why)
        case .undeliverable(let why): .rejected(why)
        case .misconfigured(let why): .misconfigured(why)
        }
    }
}
