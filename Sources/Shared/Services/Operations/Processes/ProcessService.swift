import Foundation

/// The product's processes, for administrators and the operator.
package struct ProcessService: Sendable {
    private let store: any Store
    private let processes: any ProcessStore
    private let clock: WallClock

    /// Creates a service over the stores of one database.
    package init(stores: Stores, clock: WallClock) {
        store = stores.rows
        processes = stores.processes
        self.clock = clock
    }

    /// Requires a caller who may see the state of the installation.
    /// - Throws: `AppError.forbidden`.
    package func admit(_ caller: Caller) async throws {
        try await store.requireAdmin(caller)
    }

    /// Running processes, and the most recent ones that stopped within a day; call `admit` first.
    package func list() async throws -> [ProcessRecord] {
        let now = clock.now
        return try await processes.list(
            since: now.addingTimeInterval(-ProcessRecord.memory),
            aliveSince: now.addingTimeInterval(-ProcessRecord.lifetime), maximumGone: ProcessRecord.maximumGone)
    }
}
