import Domain
import Foundation
import Services

/// A `SystemStatus` in JSON. Unknown values are null.
struct StatusResponse: Encodable {
    let at: Date
    let versions: SystemStatus.Versions
    let parts: [SystemStatus.Part]
    let processes: [Process]?
    let disk: Disk?
    let history: [Sample]

    struct Disk: Encodable {
        let freeBytes: Int
        let totalBytes: Int
    }

    struct Process: Encodable {
        let id: String
        let kind: ProcessRecord.Kind
        let host: String
        let version: String
        let startedAt: Date
        let seenAt: Date
        let isAlive: Bool
        let isThis: Bool
        let load: Load
    }

    struct Load: Encodable {
        let memoryBytes: Int
        let cpu: Double
        let connections: Int?
        let requestsPerSecond: Rates?

        init(_ load: ProcessLoad) {
            memoryBytes = load.memory
            cpu = load.cpu
            connections = load.connections
            requestsPerSecond = load.requests.map {
                Rates(answered: $0.answered, refused: $0.refused, failed: $0.failed)
            }
        }
    }

    struct Rates: Encodable {
        let answered: Int
        let refused: Int
        let failed: Int
    }

    struct Sample: Encodable {
        let at: Date
        let load: Load
    }

    init(_ status: SystemStatus) {
        at = status.instant
        versions = status.versions
        parts = status.parts
        processes = status.processes?.map { process in
            Process(
                id: process.id.description, kind: process.kind, host: process.host, version: process.version,
                startedAt: process.started, seenAt: process.seen, isAlive: process.isAlive(at: status.instant),
                isThis: process.id == status.own, load: Load(process.load))
        }
        disk = status.disk.map { Disk(freeBytes: $0.free, totalBytes: $0.total) }
        history = status.history.map { Sample(at: $0.instant, load: Load($0.load)) }
    }
}
