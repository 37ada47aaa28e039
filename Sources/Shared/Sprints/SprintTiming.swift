/// Whether sprints may start and end by the clock of this process.
public struct SprintTiming: Sendable {
    private let check: @Sendable () async throws -> Void

    /// They may: for tests and tools, whose time is what they say.
    public static let trusted = SprintTiming {}

    /// They may not: for a worker that pretends another time.
    public static let frozen = SprintTiming { throw AppError.clockDoubtful }

    /// They may while the clock agrees with the others.
    public static func checked(_ check: ClockCheck) -> SprintTiming {
        SprintTiming { try await check.requireAgreement() }
    }

    private init(check: @escaping @Sendable () async throws -> Void) {
        self.check = check
    }

    /// - Throws: `AppError.clockDoubtful`, or `AppError.storeUnavailable`.
    package func require() async throws { try await check() }
}
