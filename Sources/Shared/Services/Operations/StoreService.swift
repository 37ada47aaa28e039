package import Storage

/// The database as a whole, for the status of the installation and the operator's commands.
package struct StoreService: Sendable {
    private let system: any SystemStore

    /// Creates a service over the stores of one database.
    package init(stores: Stores) {
        system = stores.system
    }

    /// `SQLite` or `MongoDB`, for display.
    package var kind: String { system.kind }

    /// As `SystemStore.version()`.
    package func version() async throws -> String { try await system.version() }

    /// As `SystemStore.ping()`.
    package func ping() async throws { try await system.ping() }

    /// As `SystemStore.migrations()`.
    package func migrations() async throws -> [(name: String, isApplied: Bool)] { try await system.migrations() }

    /// As `SystemStore.migrate()`.
    package func migrate() async throws -> [String] { try await system.migrate() }

    /// As `SystemStore.backUp(to:)`.
    package func backUp(to path: String) async throws { try await system.backUp(to: path) }

    /// As `SystemStore.requireSound()`.
    package func requireSound() async throws { try await system.requireSound() }

    /// As `SystemStore.acceptMismatches()`.
    package func acceptMismatches() async throws { try await system.acceptMismatches() }
}
