package import Crypto
import Foundation

/// One value and an optional feedback, on their way to the store, with the voter's session.
///
/// It exists only in memory: the store keeps a receipt without value, an aggregate without name, and the encrypted
/// feedback with neither.
package struct Ballot: Sendable {
    /// The session that casts it; the store checks it on commit.
    package let sessionID: Session.ID
    /// The voter; the store checks their membership on commit.
    package let userID: User.ID
    /// The sprint in which it is cast.
    package let sprint: Sprint.Key
    /// Keyed proof of having voted: see `Receipt`.
    package let receipt: Receipt
    /// The value.
    package let happiness: Happiness
    /// The feedback, if any.
    package let feedback: SealedFeedback?

    /// Combines a member's vote with the session that casts it.
    package init(
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

/// Proof that a member has voted in a sprint, without a name: only with `BALLOT_SECRET` can it be linked to a user.
///
/// It is kept until the sprint is closed. If the user's account is deleted before that, or gets another e-mail address,
/// a receipt for the address replaces it, so that the same mailbox cannot vote again from a new account.
package struct Receipt: Hashable, Sendable {
    /// The sprint of the vote.
    package let sprint: Sprint.Key
    /// 32 bytes; `_id` in `userSprints`.
    package let bytes: [UInt8]

    /// `HMAC-SHA256(secret, team | sprint start | user)`. The start is in whole seconds since 1970, and ids have a
    /// fixed length, so no two triples share a message.
    package init(secret: BallotSecret, sprint: Sprint.Key, userID: User.ID) {
        self.init(secret: secret, sprint: sprint, voter: userID.description)
    }

    /// `HMAC-SHA256(secret, team | sprint start | address)`, with the address case-folded. An address contains an `@`,
    /// an id does not.
    package init(secret: BallotSecret, sprint: Sprint.Key, address: String) {
        self.init(secret: secret, sprint: sprint, voter: EmailAddress.folded(address))
    }

    private init(secret: BallotSecret, sprint: Sprint.Key, voter: String) {
        self.sprint = sprint
        let start = Int64(sprint.start.timeIntervalSince1970)
        bytes = SecureBytes.hmac(Data("\(sprint.teamID)|\(start)|\(voter)".utf8), key: secret.key)
    }
}

/// The key of all receipts, and of feedback whose sprint is still running. Kept apart from the data, and never part of
/// its backups.
package struct BallotSecret: Sendable {
    package let key: SymmetricKey
    /// Encrypts feedback.
    let feedbackKey: SymmetricKey

    /// - Parameter key: at least 32 bytes (`Secrets` ensures it).
    package init(key: SymmetricKey) {
        self.key = key
        feedbackKey = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, info: Data("happiness-metric feedback".utf8), outputByteCount: 32)
    }
}

/// The outcome of casting a ballot.
package enum BallotOutcome: Hashable, Sendable {
    /// Accepted, durably. `mayComplete` means that the number of ballots now equals the number of members, so it is
    /// worth checking whether every member has voted.
    case counted(mayComplete: Bool)
    /// The member has already voted in this sprint; nothing changed.
    case alreadyVoted
    /// The sprint is closed or does not exist; nothing changed. Receipts have been removed by then, so the ballot may
    /// be one that was accepted before, with a lost response.
    case sprintClosed
    /// The user is not in the team; nothing changed.
    case notAMember
    /// The session has ended; nothing changed.
    case sessionEnded
}
