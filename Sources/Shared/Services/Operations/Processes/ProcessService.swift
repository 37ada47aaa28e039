package import Domain
import Foundation
package import Ports
package import Storage

/// The product's processes, for administrators and the operator.
package struct ProcessService: Sendable {
    private let store: any Store
    private let clock: WallClock

    /// Creates a service over the stores of one database.
    package init(stores: Stores, clock: WallClock) {
        store = stores.rows
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
        return try await store.read {
            try $0.processes(
                since: now.addingTimeInterval(-ProcessRecord.memory),
                aliveSince: now.addingTimeInterval(-ProcessRecord.lifetime), maximumGone: ProcessRecord.maximumGone)
        }
    }
}
