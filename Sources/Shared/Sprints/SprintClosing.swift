/// Ends sprints, and removes what could still tell who voted what.
///
/// First the store closes the tally and publishes what may be published. Then experiments are counted, which takes the
/// receipts. Then the store clears the sprint, receipts included. A process that dies in between leaves a sprint that is
/// closed but not cleared; any process that asks for the running sprint, and the worker every minute, finishes it.
public struct SprintClosing: Sendable {
    private let stores: Stores
    private let secret: BallotSecret
    private let experiments: ExperimentMeasurer

    /// - Parameter secret: tells who has voted, and opens feedback.
    public init(stores: Stores, secret: BallotSecret) {
        self.stores = stores
        self.secret = secret
        experiments = ExperimentMeasurer(stores: stores, secret: secret)
    }

    /// Closes a sprint whose time is over, and clears it; one that is closed already is cleared only.
    /// - Returns: whether it was this call that closed it.
    @discardableResult
    public func close(_ key: Sprint.Key) async throws -> Bool {
        let isClosing = try await stores.ballots.close(key)
        try await clear(key)
        return isClosing
    }

    /// Closes a sprint there and then if every member has voted and that publishes everything. Fewer ballots than may
    /// be published wait for the sprint's end: closing early would tell how many they are. It also stays open while
    /// an invitation is pending: the first three of a new team would shut out everyone who accepts an hour later.
    /// - Returns: whether it closed.
    @discardableResult
    public func closeIfEveryoneVoted(_ key: Sprint.Key) async throws -> Bool {
        guard try await stores.ballots.closeEarly(key, secret: secret) else { return false }
        try await clear(key)
        return true
    }

    private func clear(_ key: Sprint.Key) async throws {
        guard let record = try await stores.sprints.find(key), record.state.isClosed, !record.isCleared else { return }
        try await experiments.measure(record)
        try await stores.ballots.clear(key, secret: secret)
    }
}
