package import Foundation

/// The latest heartbeat of one process of the product.
package struct ProcessRecord: Hashable, Sendable {
    /// Random, new at each start.
    package typealias ID = Identifier<ProcessRecord>

    /// The process's task.
    package enum Kind: String, Sendable, Codable, CaseIterable {
        /// Serves the API and the web app.
        case api
        /// Runs the jobs.
        case worker
    }

    /// Seconds without a heartbeat after which a process is considered dead. Four heartbeats, of which three may be
    /// lost.
    package static let lifetime: TimeInterval = 60
    /// Seconds for which a stopped process is still listed.
    package static let memory: TimeInterval = 86_400
    /// Maximum number of stopped processes in the list. More than the machines of a large installation; a process that
    /// crashes at each start leaves thousands a day.
    package static let maximumGone = 50

    /// New at each start of the process.
    package let id: ID
    /// Whether it is an API process or a worker.
    package let kind: Kind
    /// The machine's name.
    package let host: String
    /// The product's version.
    package let version: String
    /// Its start time, in whole seconds.
    package let started: Date
    /// The time of its latest heartbeat, in whole seconds.
    package let seen: Date
    /// The load at that time.
    package let load: ProcessLoad

    /// Takes a heartbeat's values.
    package init(id: ID, kind: Kind, host: String, version: String, started: Date, seen: Date, load: ProcessLoad) {
        self.id = id
        self.kind = kind
        self.host = host
        self.version = version
        self.started = started
        self.seen = seen
        self.load = load
    }

    /// Whether the process is alive, judging by its heartbeats.
    package func isAlive(at now: Date) -> Bool { now.timeIntervalSince(seen) <= Self.lifetime }
}
