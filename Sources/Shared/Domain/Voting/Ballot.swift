package import Commitments
import Foundation

/// One value and an optional feedback, on their way to the store, with the right to cast them.
///
/// It exists only in memory: the store keeps a receipt or a spent paper without value, an aggregate without name, a
/// commitment that says nothing about the value, and the encrypted feedback with neither.
package struct Ballot: Sendable {
    /// What gives the right to cast it.
    package enum Right: Hashable, Sendable {
        /// A login. The ballot is *plain*: unlinked from its voter once it is stored.
        case voter(Voter)
        /// A ballot paper. The ballot is *sealed*: the server does not know who casts it.
        case paper(SpentPaper)
    }

    /// A member who votes with a login, or asks for a ballot paper.
    package struct Voter: Hashable, Sendable {
        /// The store checks it on commit.
        package let sessionID: Session.ID
        /// The store checks their membership on commit.
        package let userID: User.ID
        /// Keyed proof of having voted: see `Receipt`.
        package let receipt: Receipt
        /// The receipts that other members with the same mailbox have or would have: together they have one ballot. Empty
        /// unless they joined before that was rejected.
        package let sharedReceipts: [Receipt]

        /// A member with the session that they use.
        package init(sessionID: Session.ID, userID: User.ID, receipt: Receipt, sharedReceipts: [Receipt] = []) {
            self.sessionID = sessionID
            self.userID = userID
            self.receipt = receipt
            self.sharedReceipts = sharedReceipts
        }
    }

    package let right: Right

    /// The member who is logged in; `nil` for a sealed ballot.
    package var voter: Voter? {
        if case .voter(let voter) = right { voter } else { nil }
    }

    /// The sprint in which it is cast.
    package let sprint: Sprint.Key
    /// The value.
    package let happiness: Happiness
    /// The feedback, if any.
    package let feedback: SealedFeedback?
    /// The blinding factor of the commitment.
    package let randomness: BlindingFactor
    /// To the value, so that everybody can check the count.
    package let commitment: Commitment

    /// A plain ballot.
    package init(voter: Voter, sprint: Sprint.Key, happiness: Happiness, feedback: SealedFeedback?) {
        self.init(.voter(voter), sprint, happiness, feedback, .random())
    }

    /// A sealed ballot.
    /// - Parameter randomness: from the voter's device, which can then find its ballot among those that were counted.
    package init(
        paper: SpentPaper, happiness: Happiness, feedback: SealedFeedback?, randomness: BlindingFactor = .random()
    ) {
        self.init(.paper(paper), paper.sprint, happiness, feedback, randomness)
    }

    private init(
        _ right: Right, _ sprint: Sprint.Key, _ happiness: Happiness, _ feedback: SealedFeedback?,
        _ randomness: BlindingFactor
    ) {
        self.right = right
        self.sprint = sprint
        self.happiness = happiness
        self.feedback = feedback
        self.randomness = randomness
        commitment = Commitment(to: happiness.tenths, with: randomness)
    }
}

/// What a ballot box takes in.
package enum BallotBoxEntry: Sendable {
    /// A value, plain or sealed.
    case ballot(Ballot)
    /// A member's request for a ballot paper.
    case request(PaperRequest)

    /// The sprint in which it is to be counted.
    package var sprint: Sprint.Key {
        switch self {
        case .ballot(let ballot): ballot.sprint
        case .request(let request): request.voter.receipt.sprint
        }
    }

    /// The member who is logged in; `nil` for a sealed ballot.
    package var voter: Ballot.Voter? {
        switch self {
        case .ballot(let ballot): ballot.voter
        case .request(let request): request.voter
        }
    }

    /// The paper of a sealed ballot.
    package var paper: SpentPaper? {
        guard case .ballot(let ballot) = self, case .paper(let paper) = ballot.right else { return nil }
        return paper
    }
}

/// Proof that a member has voted in a sprint, without a name: only with `BALLOT_SECRET` can it be linked to a user.
///
/// It is kept until the sprint is closed. If the user's account is deleted before that, or gets another e-mail address,
/// a receipt for the mailbox replaces it, so that the same mailbox cannot vote again from a new account. If another
/// account of the mailbox joins the team, it takes the receipt over.
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

    /// `HMAC-SHA256(secret, team | sprint start | mailbox)`, with the address of the mailbox that `address` reaches. An
    /// address contains an `@`, an id does not.
    package init(secret: BallotSecret, sprint: Sprint.Key, address: String) {
        self.init(secret: secret, sprint: sprint, voter: secret.subaddressing.mailbox(of: address).address)
    }

    private init(secret: BallotSecret, sprint: Sprint.Key, voter: String) {
        self.sprint = sprint
        let start = Int64(sprint.start.timeIntervalSince1970)
        bytes = SecureBytes.hmac(Data("\(sprint.teamID)|\(start)|\(voter)".utf8), key: secret.key)
    }

    /// An order that says nothing about who voted, or when.
    package func precedes(_ other: Receipt) -> Bool { bytes.lexicographicallyPrecedes(other.bytes) }
}

/// The outcome of casting a ballot, or of a request for a paper.
package enum BallotOutcome: Hashable, Sendable {
    /// Accepted, durably. `mayComplete` means that the number of ballots now equals the number of members, so it is
    /// worth checking whether every member has voted.
    case counted(mayComplete: Bool)
    /// The member may have the signature they asked for: they have neither voted nor got another paper. The same
    /// request again has the same outcome.
    case issued
    /// The member has already voted in this sprint, or has another paper; nothing changed.
    case alreadyVoted
    /// Another member with the same mailbox has voted in this sprint, or has a paper; nothing changed.
    case mailboxVoted
    /// The paper has been used: the ballot is in, from an earlier call; nothing changed.
    case alreadyCounted
    /// The sprint is closed or does not exist; nothing changed. Receipts have been removed by then, so the ballot may
    /// be one that was accepted before, with a lost response.
    case sprintClosed
    /// The user is not in the team; nothing changed.
    case notAMember
    /// The session has ended; nothing changed.
    case sessionEnded
}
