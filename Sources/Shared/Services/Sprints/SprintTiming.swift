/// Whether sprints may start and end by this process's clock.
package struct SprintTiming: Sendable {
    private let check: @Sendable () async throws -> Void

    /// Always permitted: for tests and tools that set their own time.
    package static let trusted = SprintTiming {}

    /// Never permitted: for a worker that runs at a chosen time.
    package static let frozen = SprintTiming { throw AppError.clockDoubtful }

    /// Permitted while the clock agrees with the others.
    package static func checked(_ check: ClockCheck) -> SprintTiming {
        SprintTiming { try await check.requireAgreement() }
    }

    private init(check: @escaping @Sendable () async throws -> Void) {
        self.check = check
    }

    /// - Throws: `AppError.clockDoubtful`, or `StorageError.unavailable`.
    package func require() async throws { try await check() }
}
