import Domain
import Synchronization

/// A server's counters: responses since its start, and open connections.
///
/// Callers must leave out routes about ballots, as for the metrics.
package final class ServerActivity: Sendable {
    /// Responses since the start.
    struct Counts: Equatable {
        var answered = 0
        var refused = 0
        var failed = 0
    }

    private let answered = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)
    private let failed = Atomic<Int>(0)
    private let open = Atomic<Int>(0)

    /// Starts with all counters at zero.
    package init() {}

    /// Counts a response.
    /// - Parameter status: the HTTP status.
    package func countAnswer(status: Int) {
        switch status {
        case ..<400: answered.wrappingAdd(1, ordering: .relaxed)
        case ..<500: refused.wrappingAdd(1, ordering: .relaxed)
        default: failed.wrappingAdd(1, ordering: .relaxed)
        }
    }

    /// Adds the number of opened connections; negative when they close.
    package func countConnections(_ change: Int) {
        open.wrappingAdd(change, ordering: .relaxed)
    }

    /// Connections that are currently open.
    var connections: Int { open.load(ordering: .relaxed) }

    /// The counters so far.
    var counts: Counts {
        Counts(
            answered: answered.load(ordering: .relaxed), refused: refused.load(ordering: .relaxed),
            failed: failed.load(ordering: .relaxed))
    }
}

extension RequestRates {
    /// The rates between two readings of the counters.
    init(from earlier: ServerActivity.Counts, to later: ServerActivity.Counts, seconds: Double) {
        func rate(_ count: KeyPath<ServerActivity.Counts, Int>) -> Int {
            seconds > 0 ? Int(Double(max(0, later[keyPath: count] - earlier[keyPath: count])) / seconds) : 0
        }
        self.init(answered: rate(\.answered), refused: rate(\.refused), failed: rate(\.failed))
    }
}
