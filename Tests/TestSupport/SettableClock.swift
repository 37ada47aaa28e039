package import Foundation
package import Ports
import Synchronization

/// A clock that a test sets.
package final class SettableClock: Sendable {
    private let instant: Mutex<Date>

    /// Shows `instant` until it is set or advanced.
    package init(_ instant: Date) {
        self.instant = Mutex(instant)
    }

    /// The current time.
    package var now: Date {
        get { instant.withLock { $0 } }
        set { instant.withLock { $0 = newValue } }
    }

    /// The same time for code under test.
    package var wall: WallClock { WallClock { self.now } }

    /// Moves the clock; backwards too.
    package func advance(by seconds: TimeInterval) {
        instant.withLock { $0 += seconds }
    }
}
