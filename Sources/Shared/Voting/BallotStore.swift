public import Foundation

/// Where ballots go: `userSprints` (receipts), `happiness` (aggregates) and `feedback`.
public protocol BallotStore: Sendable {
    /// Casts ballots that arrived together, in one transaction that is durable when the call returns (MongoDB:
    /// majority and journal; SQLite: `synchronous=FULL`). Blocks the calling thread.
    ///
    /// For each ballot, all or nothing:
    /// 1. a session that is there, unexpired at `now` and the user's, else `.sessionEnded`; a membership, else
    ///    `.notAMember`; a sprint that is there and not closed, else `.sprintClosed`;
    /// 2. the receipt; one that is there already, or came earlier in the same call, gives `.alreadyVoted`;
    /// 3. `PublicationState.count` over all values of the sprint that are new, written with increments; a
    ///    publication counts in `TeamStore.publicationNumber(of:)`;
    /// 4. the feedback, sealed, under a random id, with the number of the snapshot that will release it.
    ///
    /// A refused ballot harms no other one of the call. The cost does not depend on how many were cast before.
    ///
    /// - Returns: one outcome for each ballot, in their order.
    /// - Throws: `AppError.storeUnavailable`; then nothing was stored, or, if the answer to the commit was lost,
    ///   everything, and casting again says `.alreadyVoted`.
    func cast(_ ballots: [Ballot], at now: Date) throws -> [BallotOutcome]

    /// How long `BallotBox` may hold a commit back for ballots of people who were just answered: about as long as a commit
    /// takes where it costs the same for one ballot as for thirty, zero where it costs little beside its ballots.
    var gathering: Duration { get }

    /// Whether the receipt is there. One read by key.
    func contains(_ receipt: Receipt) async throws -> Bool

    /// Which of the receipts are there.
    func existing(among receipts: [Receipt]) async throws -> Set<Receipt>

    /// Removes receipts, and leaves the tally as it is: afterwards `SystemStore.check` finds the difference.
    func remove(_ receipts: [Receipt]) async throws

    /// Closes a sprint: applies `PublicationState.close`, sets `eligible` to the team's members now, at least the
    /// ballots published, and counts in `TeamStore.publicationNumber(of:)`; one transaction.
    /// - Returns: false if nothing changed: closed already, or not there.
    func close(_ key: Sprint.Key) async throws -> Bool

    /// As `close`, but only if the team has members, each of them has a receipt, nobody is invited into the team, and
    /// everything would be published. All of that is looked at in the same transaction.
    /// - Parameter secret: what the receipts are keyed with.
    func closeEarly(_ key: Sprint.Key, secret: BallotSecret) async throws -> Bool

    /// Removes what a closed sprint no longer needs, in one transaction: its receipts, feedback that stays unpublished
    /// for good, and all traces of the order in which the rest was written: it is stored anew, in plain text, under new
    /// random ids, in their order. Counts in `TeamStore.publicationNumber(of:)`. Nothing if it was done before, or the
    /// sprint is not closed.
    /// - Parameter secret: what the feedback is sealed with.
    func clear(_ key: Sprint.Key, secret: BallotSecret) async throws

    /// Feedback of a sprint that a snapshot up to `publishedNumber` released, in order of its random id. What `secret`
    /// cannot open is left out.
    func feedback(
        of key: Sprint.Key, publishedNumber: Int, secret: BallotSecret, after: Feedback.ID?, limit: Int
    ) async throws -> [Feedback]

    /// Feedback of several sprints at once: for each start the released texts, in order of their random ids.
    func feedback(
        teamID: Team.ID, publishedNumbers: [Date: Int], secret: BallotSecret
    ) async throws -> [Date: [Feedback]]

    /// Adds feedback to sprints that are over: for imports and demo data.
    func importFeedback(_ texts: [(key: Sprint.Key, text: FeedbackText)]) async throws
}
