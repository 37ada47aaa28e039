package import Domain
package import Foundation

/// Delivers messages to devices: through Google's service, Apple's, a browser vendor's, or to the log.
///
/// Delivery is at-least-once: if a response is lost, the next attempt sends the message again, and its collapse key
/// makes the device show only one.
package protocol PushDriver: Sendable {
    /// Sends one message to one device, in one attempt with its own deadline. Returns once the service has accepted it,
    /// which does not mean delivery. May be called concurrently.
    /// - Parameter now: the time of sending; a message that has already expired is rejected.
    /// - Throws: `PushError`; `CancellationError`.
    func send(_ message: PushMessage, to address: Device.Address, at now: Date) async throws
}

/// Why a message was not sent, classified by what to do about it.
///
/// The messages are stored and shown to operators. They are written by this program, with at most a status and the
/// service's error code; they never contain a token or free text from the service.
package enum PushError: Error, Equatable, Sendable {
    /// The device is gone, or never belonged to us: remove its registration. `since` is the instant from which the
    /// service knows (APNs reports it): a later registration stays.
    case unregistered(since: Date? = nil)
    /// The service does not accept the address from this installation: it belongs to another app, project, environment
    /// or key. If our settings are wrong, this happens with every address, so it does not yet justify removing a
    /// registration.
    case notOurs(String)
    /// The service is unreachable, slow or busy; `retryAfter` is the delay it asked for.
    case unavailable(String, retryAfter: Duration? = nil)
    /// Rejected permanently: the same message to the same device would fail again; the registration stays.
    case rejected(String)
    /// Nothing can be sent through this service until an operator corrects the settings: a wrong key, another project.
    case misconfigured(String)
}
