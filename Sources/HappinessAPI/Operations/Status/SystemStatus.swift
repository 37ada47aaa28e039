import Foundation
import Shared

/// How the installation is, as the process sees it that was asked.
struct SystemStatus: Sendable {
    /// When it was looked at.
    let instant: Date
    let versions: Versions
    /// In the order of a page.
    let parts: [Part]
    /// `nil` while the store does not answer.
    let processes: [ProcessRecord]?
    /// The process that was asked.
    let own: ProcessRecord.ID
    let disk: Disk?
    /// Of the process that was asked, the oldest one at the head.
    let history: [LoadHistory.Sample]

    /// What runs.
    struct Versions: Sendable {
        let product: String
        let swift: String
        /// Of the machine, with its name.
        let system: String
        /// `SQLite 3.45.1`; without the version while the store does not answer.
        let store: String
        /// The latest migration the store has; `nil` while it does not answer.
        let schema: String?
    }

    /// Something the installation leans on.
    struct Part: Sendable {
        let purpose: ServicePart.Purpose
        let driver: String
        let state: ServicePart.State
    }

    /// The file system that has the data folder, in bytes and in steps of 100 MB: a ballot takes up some, too.
    struct Disk: Sendable {
        static let step = 100_000_000

        let free: Int
        let total: Int

        init(free: Int, total: Int) {
            self.free = free / Self.step * Self.step
            self.total = total / Self.step * Self.step
        }
    }
}
