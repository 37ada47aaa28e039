import Domain
import Foundation
import Services

/// The status of the installation as seen by the process that handles the request.
struct SystemStatus: Sendable {
    /// When the status was collected.
    let instant: Date
    let versions: Versions
    /// In the order of the page.
    let parts: [Part]
    /// `nil` if the store does not respond.
    let processes: [ProcessRecord]?
    /// The process that handled the request.
    let own: ProcessRecord.ID
    let disk: Disk?
    /// For the process that handled the request, oldest sample first.
    let history: [LoadHistory.Sample]

    /// Versions of the software in use.
    struct Versions: Encodable, Sendable {
        let product: String
        let swift: String
        /// The operating system, with its name.
        let system: String
        /// For example `SQLite 3.45.1`; without the version if the store does not respond.
        let store: String
        /// The store's latest migration; `nil` if the store does not respond.
        let schema: String?
    }

    /// A service the installation depends on, and its state.
    struct Part: Encodable, Sendable {
        let purpose: ServicePart.Purpose
        let driver: String
        let state: ServicePart.State
    }

    /// The file system of the data folder, in bytes, rounded down to 100 MB: exact numbers would reveal a new ballot.
    struct Disk: Sendable {
        static let step = 100_000_000

        let free: Int
        let total: Int

        /// Rounded down to a step.
        static func rounded(_ bytes: Int64) -> Int64 { bytes / Int64(step) * Int64(step) }

        init(free: Int, total: Int) {
            self.free = Int(Self.rounded(Int64(free)))
            self.total = total / Self.step * Self.step
        }
    }
}
