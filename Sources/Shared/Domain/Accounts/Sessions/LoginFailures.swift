package import Foundation

/// Consecutive failed logins under one key.
package struct LoginFailures: Hashable, Sendable {
    /// Number of failures in a row.
    package let count: Int
    /// Time of the last one.
    package let last: Date

    /// Creates a counter as a store keeps it.
    package init(count: Int, last: Date) {
        self.count = count
        self.last = last
    }
}

extension LoginFailures {
    /// Seconds after which failures expire: a day, so that an attacker who tries once an hour still meets the delays.
    package static let memory: TimeInterval = 86_400
}
