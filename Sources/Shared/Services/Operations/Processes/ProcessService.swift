package import Domain
import Foundation
package import Ports
package import Storage

/// The product's processes, for administrators and the operator.
package struct ProcessService: Sendable {
    private let users: any UserStore
    private let processes: any ProcessStore
    private let clock: WallClock

    /// Creates a service over the stores of one database.
    package init(stores: Stores, clock: WallClock) {
        users = stores.users
        processes = stores.processes
        self.clock = clock
    }

    /// Requires a caller who may see the state of the installation.
    /// - Throws: `AppError.forbidden`.
    package func admit(_ caller: Caller) async throws {
        try await users.requireAdmin(caller)
    }

    /// Running processes, and the most recent ones that stopped within a day; call `admit` first.
    package func list() async throws -> [ProcessRecord] {
        let now = clock.now
        return try await processes.list(
            since: now.addingTimeInterval(-ProcessRecord.memory),
            aliveSince: now.addingTimeInterval(-ProcessRecord.lifetime), maximumGone: ProcessRecord.maximumGone)
    }
}
