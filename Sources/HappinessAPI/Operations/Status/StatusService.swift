import Domain
import Foundation
import Logging
import Ports
import Product
import Services

/// Collects the installation's status for administrators.
///
/// All services are checked concurrently, each for at most `ServicePart.patience`.
struct StatusService: Sendable {
    let store: StoreService
    let processes: ProcessService
    let parts: [ServicePart]
    let heartbeat: ProcessHeartbeat
    /// The folder whose file system is measured.
    let dataDirectory: String
    let clock: WallClock
    let logger: Logger

    /// - Throws: `AppError.forbidden`.
    func status(by caller: Caller) async throws -> SystemStatus {
        try await processes.admit(caller)
        let now = clock.now
        async let states = states()
        async let store = TimeLimit.run(ServicePart.patience) { await described() }
        async let processes = TimeLimit.run(ServicePart.patience) { await listed() }
        let description = await store ?? nil
        return SystemStatus(
            instant: now,
            versions: SystemStatus.Versions(
                product: ProductVersion.current, swift: Self.swift,
                system: ProcessInfo.processInfo.operatingSystemVersionString,
                store: [self.store.kind, description?.version].compactMap { $0 }.joined(separator: " "),
                schema: description?.schema),
            parts: await states, processes: await processes ?? nil, own: heartbeat.id, disk: disk(),
            history: heartbeat.history.samples(at: now))
    }

    private func states() async -> [SystemStatus.Part] {
        await withTaskGroup(of: (Int, ServicePart.State).self) { group in
            for (index, part) in parts.enumerated() {
                group.addTask { (index, await part.state(logger: logger)) }
            }
            let states = await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            return parts.enumerated().map { index, part in
                SystemStatus.Part(purpose: part.purpose, driver: part.driver, state: states[index] ?? .unreachable)
            }
        }
    }

    /// `nil` if the store does not respond.
    private func described() async -> (version: String, schema: String?)? {
        do {
            let version = try await store.version()
            return (version, try await store.migrations().last(where: \.isApplied)?.name)
        } catch {
            logger.debug("The store does not say its version", metadata: ["error": "\(type(of: error))"])
            return nil
        }
    }

    /// `nil` if the store does not respond.
    private func listed() async -> [ProcessRecord]? {
        do {
            return try await processes.list()
        } catch {
            logger.debug("The store does not list processes", metadata: ["error": "\(type(of: error))"])
            return nil
        }
    }

    private func disk() -> SystemStatus.Disk? {
        do {
            let values = try FileManager.default.attributesOfFileSystem(forPath: dataDirectory)
            guard let free = values[.systemFreeSize] as? NSNumber, let total = values[.systemSize] as? NSNumber else {
                return nil
            }
            return SystemStatus.Disk(free: free.intValue, total: total.intValue)
        } catch {
            // A process with MongoDB and S3 may have no data folder.
            return nil
        }
    }

    /// The compiler's version; a program cannot find out more at run time.
    private static var swift: String {
        #if compiler(>=6.4)
        "6.4"
        #else
        "6.3"
        #endif
    }
}
