package import Domain
package import Foundation
package import Logging
import Ports
import Synchronization

/// Logs a line instead of sending: for trying the product, and for tests. One instance accepts every kind of device.
///
/// A message to many devices is logged once, not once per device: recipients of a reminder have not voted yet, and a
/// log must not allow counting them. The line contains the message, but neither the recipients nor their number.
package final class LogDriver: PushDriver {
    /// Recently logged messages. Beyond this all are forgotten; a repeated line does no harm.
    private static let maximumRemembered = 1_000

    /// Identifies a message: a second reminder has the collapse key of the first, but another text.
    private struct Known: Hashable {
        let collapseKey: String
        let body: String
    }

    private let logger: Logger
    private let known = Mutex<Set<Known>>([])

    /// - Parameter logger: gets one line per message.
    package init(logger: Logger) {
        self.logger = logger
    }

    /// Logs the message if this is its first device.
    package func send(_ message: PushMessage, to address: Device.Address, at now: Date) async throws {
        guard now < message.expires else { throw PushError.rejected("the message has expired") }
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
