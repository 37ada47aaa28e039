public import Crypto
import Foundation

/// One value and an optional feedback, on its way into the box together with the right to cast it.
///
/// It exists in memory only: what is stored is a receipt without value, an aggregate without name, and the feedback
/// without either.
public struct Ballot: Sendable {
    /// The session that casts it; checked in the store when it counts.
    public let sessionID: Session.ID
    /// The voter; membership is checked in the store when it counts.
    public let userID: User.ID
    /// The sprint it counts for.
    public let sprint: Sprint.Key
    /// The fact of voting, keyed: see `Receipt`.
    public let receipt: Receipt
    /// The value.
    public let happiness: Happiness
    /// The feedback, if any.
    public let feedback: FeedbackText?

    /// A ballot of a session's user.
    public init(
        sessionID: Session.ID, userID: User.ID, sprint: Sprint.Key, receipt: Receipt, happiness: Happiness,
        feedback: FeedbackText?
    ) {
        self.sessionID = sessionID
        self.userID = userID
        self.sprint = sprint
        self.receipt = receipt
        self.happiness = happiness
        self.feedback = feedback
    }
}

/// The fact that somebody voted in a sprint, with no name in it: who lacks `BALLOT_SECRET` cannot tell whose it is.
public struct Receipt: Hashable, Sendable {
    /// 32 bytes; `_id` in `userSprints`.
    public let bytes: [UInt8]

    /// `HMAC-SHA256(secret, team | sprint start | user)`. The start is in whole seconds since 1970, and ids have a
    /// fixed length, so no two triples share a message.
    public init(secret: BallotSecret, sprint: Sprint.Key, userID: User.ID) {
        let start = Int64(sprint.start.timeIntervalSince1970)
        let message = "\(sprint.teamID)|\(start)|\(userID)"
        bytes = SecureBytes.hmac(Data(message.utf8), key: secret.key)
    }

    /// For stores: a receipt as it is kept.
    init(stored bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// The key of all receipts. Kept apart from the data, and never part of a backup of it.
public struct BallotSecret: Sendable {
    let key: SymmetricKey

    /// - Parameter key: at least 32 bytes (`Secrets` sees to it).
    public init(key: SymmetricKey) {
        self.key = key
    }
}

/// What became of a ballot.
public enum BallotOutcome: Hashable, Sendable {
    /// It counts, durably. `mayComplete` says that now as many ballots are in as the team has members, so that it is
    /// worth looking whether every member has voted.
    case counted(mayComplete: Bool)
    /// The person has voted in this sprint; nothing changed.
    case alreadyVoted
    /// The sprint takes no ballots any more, or is not there; nothing changed.
    case sprintClosed
    /// The user is not in the team; nothing changed.
    case notAMember
    /// The session was ended; nothing changed.
    case sessionEnded
}
