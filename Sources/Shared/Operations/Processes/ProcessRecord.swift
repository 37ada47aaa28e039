public import Foundation

/// A sign of life of one process of the product.
public struct ProcessRecord: Hashable, Sendable {
    /// Random, new at each start.
    public typealias ID = Identifier<ProcessRecord>

    /// What the process does.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// Serves the API and the web app.
        case api
        /// Does the jobs.
        case worker
    }

    /// Seconds without a sign of life after which a process counts as gone. Four signs, of which three may be lost.
    public static let lifetime: TimeInterval = 60
    /// Seconds for which one that is gone is still listed.
    public static let memory: TimeInterval = 86_400
    /// How many that are gone are listed. More than there are machines of a large installation; one that dies at each start
    /// leaves thousands in a day.
    public static let maximumGone = 50

    /// Its identity.
    public let id: ID
    /// What it does.
    public let kind: Kind
    /// The machine's name.
    public let host: String
    /// The product's version.
    public let version: String
    /// When it started, in whole seconds.
    public let started: Date
    /// When it last gave a sign of life, in whole seconds.
    public let seen: Date
    /// How busy it was then.
    public let load: ProcessLoad

    /// A record from its parts.
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

    /// Whether it lives, as far as its signs tell.
    public func isAlive(at now: Date) -> Bool {
        now.timeIntervalSince(seen) <= Self.lifetime
    }
}
