import HummingbirdCore
import Logging
import Services

/// Limits and counts open connections.
struct ConnectionCounter: AvailableConnectionsDelegate {
    private var limit: MaximumAvailableConnections
    private let activity: ServerActivity

    /// - Parameter maximum: further connections wait to be accepted.
    init(maximum: Int, activity: ServerActivity, logger: Logger) {
        limit = MaximumAvailableConnections(maximum, logger: logger)
        self.activity = activity
    }

    mutating func connectionOpened() {
        limit.connectionOpened()
        activity.countConnections(1)
    }

    mutating func connectionClosed() {
        limit.connectionClosed()
        activity.countConnections(-1)
    }

    func isAcceptingNewConnections() -> Bool { limit.isAcceptingNewConnections() }
}
