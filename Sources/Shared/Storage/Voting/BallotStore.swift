package import Commitments
package import Domain
package import Foundation

/// Stores ballots in `userSprints` (receipts), `spentPapers`, `happiness` (aggregates), `commitments` and `feedback`.
package protocol BallotStore: Sendable {
    /// Casts ballots, and takes requests for ballot papers, that arrived together, in one transaction that is durable
    /// when the call returns (MongoDB: majority and journal; SQLite: `synchronous=FULL`). Blocks the calling thread.
    ///
    /// For each entry, all or nothing:
    /// 1. for a voter who is logged in, a session that exists, is unexpired at `now` and belongs to the user, else
    ///    `.sessionEnded`, and a membership, else `.notAMember`; a sprint that exists and is open, else `.sprintClosed`;
    /// 2. the receipt of a plain ballot or a request; if it already exists, or came earlier in the same call, the
    ///    outcome is `.alreadyVoted`, or `.issued` for the same request. If one of the voter's `sharedReceipts` does, it
    ///    is `.mailboxVoted`, also if two who share them cast at once. The spent paper of a sealed ballot; if it already
    ///    exists, the outcome is `.alreadyCounted`. A request ends here;
    /// 3. `PublicationState.count` over all new values of the sprint, written with increments; a publication increments
    ///    `TeamRows.publicationNumber(of:)`;
    /// 4. the commitment, with the number of the snapshot that its ballot is part of;
    /// 5. the encrypted feedback, under a random id, with the number of the snapshot that will release it.
    ///
    /// A rejected entry does not affect the others of the call. The cost does not depend on the number of earlier
    /// ballots.
    ///
    /// - Returns: one outcome for each entry, in order.
    /// - Throws: `StorageError.unavailable`; then nothing was stored, or, if the reply to the commit was lost,
    ///   everything, and casting again returns `.alreadyVoted`, `.issued` or `.alreadyCounted`.
    func cast(_ entries: [BallotBoxEntry], at now: Date) throws -> [BallotOutcome]

    /// The outcome that `cast` would have for this request now; stores nothing. One read.
    /// - Throws: `StorageError.unavailable`.
    func outcome(of request: PaperRequest, at now: Date) async throws -> BallotOutcome

    /// How long `BallotBox` may delay a commit for the next ballots of voters who just got their outcome: about the
    /// duration of a commit if it costs the same for one ballot as for thirty, zero if its fixed cost is small.
    var gathering: Duration { get }

    /// Which of the receipts exist.
    func existing(among receipts: [Receipt]) async throws -> Set<Receipt>

    /// Closes a sprint in one transaction: applies `PublicationState.close`, sets `eligible` to the current number of
    /// members, but at least the number of published ballots, destroys the private ballot key, and increments
    /// `TeamRows.publicationNumber(of:)`.
    /// - Returns: false if nothing changed: it is already closed, or does not exist.
    func close(_ key: Sprint.Key) async throws -> Bool

    /// Like `close`, but only if the team has members, each of their mailboxes has a receipt, there is no pending
    /// invitation into the team, and everything would be published. The same transaction checks all of that.
    /// - Parameter secret: the key for receipts.
    func closeEarly(_ key: Sprint.Key, secret: BallotSecret) async throws -> Bool

    /// Removes what a closed sprint no longer needs, in one transaction: its receipts, feedback, papers and commitments
    /// that stay unpublished for good, which papers and commitments were published together, and all traces of the
    /// order in which the other feedback was written: that is stored again, in plain text, under new random ids, ordered
    /// by id. Increments `TeamRows.publicationNumber(of:)`. Does nothing if the sprint is already cleared, or is not
    /// closed.
    /// - Parameter secret: the key of the encrypted feedback.
    func clear(_ key: Sprint.Key, secret: BallotSecret) async throws

    /// Feedback of a sprint released by a snapshot up to `publishedNumber`, ordered by random id. Texts that `secret`
    /// cannot decrypt are omitted.
    func feedback(
        of key: Sprint.Key, publishedNumber: Int, secret: BallotSecret, after: Feedback.ID?, limit: Int
    ) async throws -> [Feedback]

    /// Feedback of several sprints at once: the released texts for each start, ordered by random id.
    func feedback(
        teamID: Team.ID, publishedNumbers: [Date: Int], secret: BallotSecret
    ) async throws -> [Date: [Feedback]]

    /// The commitments of the ballots up to a snapshot, in ascending order.
    func commitments(of key: Sprint.Key, publishedNumber: Int) async throws -> [Commitment]

    /// Deletes the feedback of all cleared sprints that ended before an instant, and increments
    /// `TeamRows.publicationNumber(of:)` for each. One transaction a sprint, so that ballots wait for none of them
    /// long.
    func deleteFeedback(ofSprintsEndedBefore instant: Date) async throws
}

extension BallotStore {
    /// Whether the receipt exists. One read by key.
    package func contains(_ receipt: Receipt) async throws -> Bool {
        try await !existing(among: [receipt]).isEmpty
    }

    /// Casts ballots only; as the other `cast`.
    package func cast(_ ballots: [Ballot], at now: Date) throws -> [BallotOutcome] {
        try cast(ballots.map(BallotBoxEntry.ballot), at: now)
    }
}
