public import Foundation

/// The latest heartbeat of one process of the product.
public struct ProcessRecord: Hashable, Sendable {
    /// Random, new at each start.
    public typealias ID = Identifier<ProcessRecord>

    /// What the process does.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// Serves the API and the web app.
        case api
        /// Runs the jobs.
        case worker
    }

    /// Seconds without a heartbeat after which a process is considered gone. Four heartbeats, of which three may be
    /// lost.
    public static let lifetime: TimeInterval = 60
    /// Seconds for which a process that is gone is still listed.
    public static let memory: TimeInterval = 86_400
    /// Maximum number of listed processes that are gone. More than the machines of a large installation; a process that
    /// crashes at each start leaves thousands a day.
    public static let maximumGone = 50

    /// New at each start of the process.
    public let id: ID
    /// Whether it is an API process or a worker.
    public let kind: Kind
    /// The machine's name.
    public let host: String
    /// The product's version.
    public let version: String
    /// Its start time, in whole seconds.
    public let started: Date
    /// The time of its latest heartbeat, in whole seconds.
    public let seen: Date
    /// The load at that time.
    public let load: ProcessLoad

    /// Takes a heartbeat's values.
    public init(
        id: ID, kind: Kind, host: String, version: String, started: Date, seen: Date, load: ProcessLoad
    ) {
        self.id = id
        self.kind = kind
        self.host = host
        self.version = version
        self.started = started
        self.seen = seen
        self.load = load
    }

    /// Whether the process is alive, judging by its heartbeats.
    public func isAlive(at now: Date) -> Bool {
        now.timeIntervalSince(seen) <= Self.lifetime
    }
}
