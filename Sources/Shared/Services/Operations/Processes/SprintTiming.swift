import Domain
package import Foundation

/// Whether sprints may start and end, and what has expired may be deleted, by this process's clock.
package struct SprintTiming: Sendable {
    private let check: @Sendable (Date) async throws -> Void
    private let gap: @Sendable () async throws -> ClockGap?

    /// Always permitted: for tests and tools that set their own time.
    package static let trusted = SprintTiming(check: { _ in })

    /// Never permitted: for a worker that runs at a chosen time.
    package static let frozen = SprintTiming(check: { _ in throw AppError.clockDoubtful })

    /// Permitted while the clock is reliable (`ClockCheck`).
    package static func checked(_ check: ClockCheck) -> SprintTiming {
        SprintTiming(check: { try await check.requireAgreement(at: $0) }, gap: { try await check.gap() })
    }

    private init(
        check: @escaping @Sendable (Date) async throws -> Void,
        gap: @escaping @Sendable () async throws -> ClockGap? = { nil }
    ) {
        self.check = check
        self.gap = gap
    }

    /// - Parameter instant: the time by which something is due, as read from the clock before.
    /// - Throws: `AppError.clockDoubtful`, or `StorageError.unavailable`.
    package func require(at instant: Date) async throws { try await check(instant) }

    /// Whether `require` returns.
    /// - Throws: `StorageError.unavailable`.
    package func permits(at instant: Date) async throws -> Bool {
        do {
            try await check(instant)
            return true
        } catch let error as AppError where error == .clockDoubtful {
            return false
        }
    }

    /// Whether the clock is more than `ClockCheck.maximumGap` ahead of the newest time in the store.
    /// - Throws: `StorageError.unavailable`.
    package func isFarAhead() async throws -> Bool { try await gap() != nil }
}
