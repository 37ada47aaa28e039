/// How busy a process was, in steps.
///
/// An administrator reads it, and on a server with little to do every request would show: the reading of somebody who
/// comes to vote as well. So every number comes in steps that one person's visit does not move.
public struct ProcessLoad: Hashable, Sendable {
    /// Bytes. Pages of memory come and go with requests.
    static let memoryStep = 4 * 1_048_576
    /// Of a core. A log-in takes a fiftieth of one, seen over `ProcessHeartbeat.interval`.
    static let cpuStep = 0.05
    /// Connections. A visit opens up to six.
    static let connectionStep = 10

    /// Resident memory in bytes, to the nearest step.
    public let memory: Int
    /// Share of one core, 0 for none, more than 1 for several; rounded down.
    public let cpu: Double
    /// Open connections, rounded down to tens; `nil` for a process that serves nobody.
    public let connections: Int?
    /// Answers a second, routes about ballots left out, rounded down to whole ones; `nil` for a process that serves nobody.
    public let requests: RequestRates?

    /// A load from exact readings, which it does not keep.
    public init(memory: Double, cpu: Double, connections: Int? = nil, requests: RequestRates? = nil) {
        self.memory = Int((max(0, memory) / Double(Self.memoryStep)).rounded()) * Self.memoryStep
        // A little more than the steps, for a number that lies on one must not fall to the one below.
        self.cpu = ((max(0, cpu) / Self.cpuStep + 1e-6).rounded(.down) * Self.cpuStep * 100).rounded() / 100
        self.connections = connections.map { max(0, $0) / Self.connectionStep * Self.connectionStep }
        self.requests = requests
    }
}

/// Answers a second, by what they said; whole ones, rounded down.
public struct RequestRates: Hashable, Sendable {
    /// Status 100 to 399.
    public let answered: Int
    /// Status 400 to 499.
    public let refused: Int
    /// Status 500 and above.
    public let failed: Int

    /// All of them.
    public var all: Int { answered + refused + failed }

    /// Rates that are whole already.
    public init(answered: Int, refused: Int, failed: Int) {
        self.answered = answered
        self.refused = refused
        self.failed = failed
    }

    /// The rates between two counts.
    init(from earlier: ServerActivity.Counts, to later: ServerActivity.Counts, seconds: Double) {
        func rate(_ count: KeyPath<ServerActivity.Counts, Int>) -> Int {
            seconds > 0 ? Int(Double(max(0, later[keyPath: count] - earlier[keyPath: count])) / seconds) : 0
        }
        self.init(answered: rate(\.answered), refused: rate(\.refused), failed: rate(\.failed))
    }
}
