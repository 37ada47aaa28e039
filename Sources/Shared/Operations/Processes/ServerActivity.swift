import Synchronization

/// What a server counts while it serves: answers since its start and connections that are open.
///
/// Whoever counts leaves out routes about ballots, as for the metrics.
public final class ServerActivity: Sendable {
    /// Answers since the start.
    struct Counts: Equatable {
        var answered = 0
        var refused = 0
        var failed = 0
    }

    private let answered = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)
    private let failed = Atomic<Int>(0)
    private let open = Atomic<Int>(0)

    /// Nothing counted yet.
    public init() {}

    /// Counts an answer.
    /// - Parameter status: of HTTP.
    public func countAnswer(status: Int) {
        switch status {
        case ..<400: answered.wrappingAdd(1, ordering: .relaxed)
        case ..<500: refused.wrappingAdd(1, ordering: .relaxed)
        default: failed.wrappingAdd(1, ordering: .relaxed)
        }
    }

    /// Counts connections that open, or close with a negative number.
    public func countConnections(_ change: Int) {
        open.wrappingAdd(change, ordering: .relaxed)
    }

    /// Connections that are open now.
    var connections: Int { open.load(ordering: .relaxed) }

    /// Answers until now.
    var counts: Counts {
        Counts(
            answered: answered.load(ordering: .relaxed), refused: refused.load(ordering: .relaxed),
            failed: failed.load(ordering: .relaxed))
    }
}
