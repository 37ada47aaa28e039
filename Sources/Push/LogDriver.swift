public import Foundation
public import Logging
public import Shared
import Synchronization

/// Writes a line instead of sending: for trying the product, and for tests. One instance takes every kind of device.
///
/// A message that goes to many devices has one line, not one for each: who gets a reminder has not voted yet, and
/// nobody must be able to count them in a log. So the line says what goes out, and neither to whom nor to how many.
public final class LogDriver: PushDriver {
    /// Messages told of lately. Past this all are forgotten; a line that comes twice does no harm.
    private static let maximumRemembered = 1_000

    /// What makes a message the same one: a second reminder has the collapse key of the first, and other words.
    private struct Known: Hashable {
        let collapseKey: String
        let body: String
    }

    private let logger: Logger
    private let known = Mutex<Set<Known>>([])

    /// A driver that writes to `logger`.
    public init(logger: Logger) {
        self.logger = logger
    }

    /// Logs the message, if this is the first device it goes to.
    public func send(_ message: PushMessage, to address: Device.Address, at now: Date) async throws {
        guard now < message.expires else { throw PushError.refused("the message has expired") }
        guard isNew(message) else { return }
        logger.info(
            "Push message",
            metadata: [
                "push.title": .string(message.title), "push.body": .string(message.body),
                "push.link": .string(message.link), "push.sprint": .string(message.sprintLabel),
            ])
    }

    private func isNew(_ message: PushMessage) -> Bool {
        known.withLock { known in
            if known.count >= Self.maximumRemembered { known.removeAll() }
            return known.insert(Known(collapseKey: message.collapseKey, body: message.body)).inserted
        }
    }
}
