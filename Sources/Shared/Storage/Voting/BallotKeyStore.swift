package import Domain

/// Stores ballot keys in `ballotKeys`, and lists the papers that `BallotStore` has marked as spent. Every call may also
/// throw `StorageError.unavailable`.
package protocol BallotKeyStore: Sendable {
    /// `nil` if the sprint has none.
    func key(of sprint: Sprint.Key) async throws -> StoredBallotKey?

    /// `nil` if there is none with this id.
    func key(id: BallotKey.ID) async throws -> StoredBallotKey?

    /// Stores a key, unless the sprint has one already or is closed.
    /// - Returns: the key that the sprint now has; `nil` if it has none, because it is closed or does not exist.
    func insert(_ key: StoredBallotKey) async throws -> StoredBallotKey?

    /// Whether the sprint exists and is open. It may close before `insert`, which decides.
    func takesKey(_ sprint: Sprint.Key) async throws -> Bool

    /// Whether this paper has been used.
    func isSpent(_ paper: SpentPaper) async throws -> Bool

    /// The papers that were spent up to a snapshot, in ascending order of their hashes.
    func spentPapers(of sprint: Sprint.Key, publishedNumber: Int) async throws -> [SpentPaper]
}
