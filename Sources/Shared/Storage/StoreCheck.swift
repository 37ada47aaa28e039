/// A sprint whose number of ballots differs from its number of receipts: the store is a mixture of two, as after a
/// restore that left a write-ahead log behind. Members could vote twice, or be rejected although they have not voted.
package struct ReceiptMismatch: Hashable, Sendable {
    /// The team's name.
    package let team: String
    /// The sprint's label.
    package let sprint: String

    /// Names a sprint that is not cleared.
    package init(team: String, sprint: String) {
        self.team = team
        self.sprint = sprint
    }
}

/// An error whose description is for an operator: what is wrong, and what to do. It has no secret and no text of a
/// user.
package protocol OperatorProblem: Error, CustomStringConvertible {}

/// A store that must not be used in its present state, described for an operator.
package struct DamagedStore: Error, CustomStringConvertible {
    /// The problem and its solution.
    package let description: String

    init(_ description: String) {
        self.description = description
    }

    init(_ mismatches: [ReceiptMismatch]) {
        let sprints = mismatches.prefix(5).map { "\($0.sprint) of \($0.team)" }.joined(separator: ", ")
        let more = mismatches.count > 5 ? " and \(mismatches.count - 5) more" : ""
        self.init(
            """
            The store holds another number of ballots than of receipts in running sprints (\(sprints)\(more)). It may be \
            a mixture of two stores. Restore a backup: HappinessAPI restore FILE. To continue with the store as it is: \
            HappinessAPI check --accept
            """)
    }
}

extension SystemStore {
    /// Rejects a damaged store. Call it when a process starts, after `migrate`.
    /// - Throws: `DamagedStore`, or what `check` throws.
    package func requireSound() async throws {
        let mismatches = try await check()
        guard mismatches.isEmpty else { throw DamagedStore(mismatches) }
    }
}
