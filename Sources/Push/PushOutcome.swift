public import Foundation

/// What became of a message for one device. The words are fit for operators: no token, no service's free text.
public enum PushOutcome: Sendable, Equatable {
    /// Its service has taken it.
    case accepted
    /// The device is gone: its registration is to be removed, unless it was made or refreshed after `since`.
    case unregistered(since: Date?)
    /// It would be refused again; the registration stays.
    case refused(String)
    /// No driver is named for its service: nothing was sent, and the registration stays.
    case noDriver
    /// Its service was away or busy until the time for it was over; what the service asked to be left alone for.
    case failed(String, retryAfter: Duration?)
    /// Nothing goes out until somebody mends the settings; the log has an error line.
    case misconfigured(String)
}
