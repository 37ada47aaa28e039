public import Foundation

/// The count of a sprint that is over: a commitment to each vote, and what opens their sum.
///
/// A commitment says nothing about its value. ``isRight`` checks that all of them together fit the result, and
/// ``contains(_:)`` that a vote of this device is among them. If every voter finds their own, the result is the sum of
/// their votes.
public struct SprintCount: Decodable, Hashable, Sendable {
    /// Votes in the result.
    public let votes: Int
    /// Sum of their values, in tenths.
    public let sum: Int
    /// Members who could have voted.
    public let members: Int
    /// `nil` where their number would tell too much.
    public let papers: Papers?
    private let randomness: String
    private let commitments: [String]

    /// The ballot papers of a sprint.
    public struct Papers: Decodable, Hashable, Sendable {
        /// Papers that members got.
        public let issued: Int
        /// Sealed votes in the result.
        public let counted: Int
        /// Hashes of the papers of these votes.
        let spent: [String]

        /// Whether each of these votes had a paper of its own.
        public var isRight: Bool { counted <= issued && spent.count == counted && Set(spent).count == counted }
    }

    /// Whether the commitments to all votes add up to the result.
    public var isRight: Bool {
        let commitments = commitments.compactMap(Data.init(base64URL:))
        guard commitments.count == votes, votes == self.commitments.count, let randomness = Data(base64URL: randomness)
        else { return false }
        return PedersenCommitment.areOpened(commitments, by: sum, randomness: randomness)
    }

    /// Whether a vote is among them.
    /// - Parameter commitment: as ``BallotPaper/commitment(to:)`` returned it.
    public func contains(_ commitment: Data) -> Bool {
        commitments.contains(commitment.base64URL)
    }
}

extension Session {
    /// The count of a sprint that is over.
    /// - Parameters:
    ///   - sprint: its label, such as `2026/23`.
    ///   - team: its id.
    /// - Throws: ``ClientError``: `refused` with the reason `count-not-checkable`.
    public func count(of sprint: String, in team: String) async throws -> SprintCount {
        try await json("/api/v1/teams/\(team)/sprints/\(sprint)/count")
    }
}
