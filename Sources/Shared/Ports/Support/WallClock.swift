package import Foundation

/// The source of the current time: an argument everywhere, so that a test or an operator can choose the instant.
package struct WallClock: Sendable {
    private let read: @Sendable () -> Date

    /// - Parameter read: called for every reading; must not block.
    package init(_ read: @escaping @Sendable () -> Date) {
        self.read = read
    }

    /// The present instant.
    package var now: Date { read() }

    /// The machine's clock.
    package static let system = WallClock { Date() }
}
