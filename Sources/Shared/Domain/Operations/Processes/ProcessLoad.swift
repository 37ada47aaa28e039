/// The load of a process, in steps.
///
/// Administrators read it, and on an idle server every request would show, including that of a member who comes to
/// vote. All numbers are therefore rounded to steps that one person's visit does not change.
package struct ProcessLoad: Hashable, Sendable {
    /// Bytes. Requests allocate and free pages of memory.
    static let memoryStep = 4 * 1_048_576
    /// Of a core. A login takes a fiftieth of one, averaged over `ProcessHeartbeat.interval`.
    static let cpuStep = 0.05
    /// Connections. A visit opens up to six.
    static let connectionStep = 10

    /// Resident memory in bytes, to the nearest step.
    package let memory: Int
    /// Share of one core: 0 for idle, more than 1 for several cores; rounded down.
    package let cpu: Double
    /// Open connections, rounded down to tens; `nil` for a process that serves no requests.
    package let connections: Int?
    /// Responses per second without routes about ballots, rounded down to integers; `nil` for a process that serves no
    /// requests.
    package let requests: RequestRates?

    /// Rounds exact readings, which are not kept.
    package init(memory: Double, cpu: Double, connections: Int? = nil, requests: RequestRates? = nil) {
        self.memory = Int((max(0, memory) / Double(Self.memoryStep)).rounded()) * Self.memoryStep
        // Slightly more than the step, so that rounding errors do not push an exact multiple to the step below.
        self.cpu = ((max(0, cpu) / Self.cpuStep + 1e-6).rounded(.down) * Self.cpuStep * 100).rounded() / 100
        self.connections = connections.map { max(0, $0) / Self.connectionStep * Self.connectionStep }
        self.requests = requests
    }
}

/// Responses per second by status, rounded down to integers.
package struct RequestRates: Hashable, Sendable {
    /// Status 100 to 399.
    package let answered: Int
    /// Status 400 to 499.
    package let refused: Int
    /// Status 500 and above.
    package let failed: Int

    /// The total.
    package var all: Int { answered + refused + failed }

    /// Takes rates that are already rounded.
    package init(answered: Int, refused: Int, failed: Int) {
        self.answered = answered
        self.refused = refused
        self.failed = failed
    }
}
