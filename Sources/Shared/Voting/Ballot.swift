public import Crypto
import Foundation

/// One value and an optional feedback, on its way into the box together with the right to cast it.
///
/// It exists in memory only: what is stored is a receipt without value, an aggregate without name, and the feedback,
/// sealed, without either.
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
    public let feedback: SealedFeedback?

    /// A ballot of a session's user.
    public init(
        sessionID: Session.ID, userID: User.ID, sprint: Sprint.Key, receipt: Receipt, happiness: Happiness,
        feedback: SealedFeedback?
    ) {
        self.sessionID = sessionID
        self.userID = userID
        self.sprint = sprint
        self.receipt = receipt
        self.happiness = happiness
        self.feedback = feedback
    }
}

/// The fact that somebody voted in a sprint, without a name: only with `BALLOT_SECRET` can one tell whose it is.
///
/// It lasts until the sprint is closed. If its user's account is deleted before that, or gets another e-mail address,
/// a receipt for the address takes its place, so that the same mailbox does not vote again from a new account.
public struct Receipt: Hashable, Sendable {
    /// The sprint that was voted in.
    public let sprint: Sprint.Key
    /// 32 bytes; `_id` in `userSprints`.
    public let bytes: [UInt8]

    /// `HMAC-SHA256(secret, team | sprint start | user)`. The start is in whole seconds since 1970, and ids have a
    /// fixed length, so no two triples share a message.
    public init(secret: BallotSecret, sprint: Sprint.Key, userID: User.ID) {
        self.init(secret: secret, sprint: sprint, voter: userID.description)
    }

    /// `HMAC-SHA256(secret, team | sprint start | address)`, the address case-folded. An address has an `@`, and an id has
    /// none.
    public init(secret: BallotSecret, sprint: Sprint.Key, address: String) {
        self.init(secret: secret, sprint: sprint, voter: EmailAddress.folded(address))
    }

    private init(secret: BallotSecret, sprint: Sprint.Key, voter: String) {
        self.sprint = sprint
        let start = Int64(sprint.start.timeIntervalSince1970)
        bytes = SecureBytes.hmac(Data("\(sprint.teamID)|\(start)|\(voter)".utf8), key: secret.key)
    }
}

/// The key of all receipts, and of feedback whose sprint still runs. Kept apart from the data, and never part of a backup
/// of it.
public struct BallotSecret: Sendable {
    let key: SymmetricKey
    /// Seals feedback.
    let feedbackKey: SymmetricKey

    /// - Parameter key: at least 32 bytes (`Secrets` sees to it).
    public init(key: SymmetricKey) {
        self.key = key
        feedbackKey = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, info: Data("happiness-metric feedback".utf8), outputByteCount: 32)
    }
}

/// What became of a ballot.
public enum BallotOutcome: Hashable, Sendable {
    /// It counts, durably. `mayComplete` says that now as many ballots are in as the team has members, so that it is
    /// worth looking whether every member has voted.
    case counted(mayComplete: Bool)
    /// The person has voted in this sprint; nothing changed.
    case alreadyVoted
    /// The sprint is closed or does not exist; nothing changed. Receipts are gone by then, so the ballot may be one that
    /// was counted before, and whose answer was lost.
    case sprintClosed
    /// The user is not in the team; nothing changed.
    case notAMember
    /// The session was ended; nothing changed.
    case sessionEnded
}
