package import Foundation

/// The outcome of a message to one device. Texts are safe for operators: no token, no free text from a service.
package enum PushOutcome: Sendable, Equatable {
    /// The service has accepted it.
    case accepted
    /// The device is gone: remove its registration, unless it was created or refreshed after `since`.
    case unregistered(since: Date?)
    /// It would be rejected again; the registration is kept.
    case rejected(String)
    /// There is no driver for its service: nothing was sent, and the registration is kept.
    case noDriver
    /// Its service was unavailable or busy until the time limit; `retryAfter` is the wait that the service asked for.
    case failed(String, retryAfter: Duration?)
    /// Nothing is sent until an operator corrects the settings; the log has an error line.
    case misconfigured(String)
}
