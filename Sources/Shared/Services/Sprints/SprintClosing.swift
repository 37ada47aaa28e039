package import Domain
package import Storage

/// Closes sprints, and removes data that could still link members to values.
///
/// First the store closes the tally and publishes what may be published. Then experiments are measured, which needs the
/// receipts. Then the store clears the sprint, including its receipts. If a process crashes in between, the sprint is
/// closed but not cleared; any process that asks for the running sprint, and the worker every minute, finishes the
/// work.
package struct SprintClosing: Sendable {
    private let store: any Store
    private let ballots: any BallotStore
    private let secret: BallotSecret
    private let experiments: ExperimentMeasurer

    /// - Parameter secret: finds receipts, and decrypts feedback.
    package init(stores: Stores, secret: BallotSecret) {
        store = stores.rows
        ballots = stores.ballots
        self.secret = secret
        experiments = ExperimentMeasurer(stores: stores, secret: secret)
    }

    /// Closes a sprint that is over, and clears it; an already closed sprint is only cleared.
    /// - Returns: whether this call closed it.
    @discardableResult
    package func close(_ key: Sprint.Key) async throws -> Bool {
        let isClosing = try await ballots.close(key)
        try await clear(key)
        return isClosing
    }

    /// Closes a sprint immediately if every member has voted and that publishes everything. Otherwise unpublished
    /// ballots wait for the sprint's end: closing early would reveal how many they are. It also stays open while an
    /// invitation is pending: the first three members of a new team would exclude everyone who accepts an hour later.
    /// - Returns: whether it closed.
    @discardableResult
    package func closeIfEveryoneVoted(_ key: Sprint.Key) async throws -> Bool {
        guard try await ballots.closeEarly(key, secret: secret) else { return false }
        try await clear(key)
        return true
    }

    private func clear(_ key: Sprint.Key) async throws {
        guard let record = try await store.sprint(key), record.state.isClosed, !record.isCleared else { return }
        try await experiments.measure(record)
        try await ballots.clear(key, secret: secret)
    }
}
