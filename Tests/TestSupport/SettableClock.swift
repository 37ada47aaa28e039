public import Foundation
public import Shared
import Synchronization

/// A clock that a test sets.
public final class SettableClock: Sendable {
    private let instant: Mutex<Date>

    /// Shows `instant` until it is set or advanced.
    public init(_ instant: Date) {
        self.instant = Mutex(instant)
    }

    /// The current time.
    public var now: Date {
        get { instant.withLock { $0 } }
        set { instant.withLock { $0 = newValue } }
    }

    /// The same time for code under test.
    public var wall: WallClock { WallClock { self.now } }

    /// Moves the clock; backwards too.
    public func advance(by seconds: TimeInterval) {
        instant.withLock { $0 += seconds }
    }
}
