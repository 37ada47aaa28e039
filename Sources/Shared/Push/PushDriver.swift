public import Foundation

/// A way to devices: Google's service, Apple's, a browser vendor's, or the log.
///
/// Sending is at-least-once: when an answer is lost the next attempt sends the message again, and its collapse key lets
/// the device show one.
public protocol PushDriver: Sendable {
    /// Hands one message over for one device, in one attempt with a deadline of its own. Returns once the service has
    /// taken it, which is not delivery. May be called from many tasks at once.
    /// - Parameter now: when it is sent; a message that has expired by then is refused.
    /// - Throws: `PushError`; `CancellationError`.
    func send(_ message: PushMessage, to address: Device.Address, at now: Date) async throws
}

/// Why a message was not handed over, told by what to do about it.
///
/// The words are kept and shown to operators: this program's own, with at most a status and the service's error code,
/// never a token and never a service's free text.
public enum PushError: Error, Equatable, Sendable {
    /// The device is gone or was never one of ours: its registration is to be removed. `since` is the instant from
    /// which the service knows that (APNs tells it): a registration that is younger stays.
    case unregistered(since: Date? = nil)
    /// The service does not take the address as one that this installation may send to: it is of another app, project,
    /// environment or key. Or the settings are, and then every address is met with this; so it is no reason yet to
    /// remove a registration.
    case notOurs(String)
    /// The service is away, slow or busy; `retryAfter` is how long it asked to be left alone.
    case unavailable(String, retryAfter: Duration? = nil)
    /// The same message to the same device would be refused again; the registration stays.
    case refused(String)
    /// Nothing can be sent through this service until somebody mends the settings: a wrong key, another project.
    case misconfigured(String)
}
