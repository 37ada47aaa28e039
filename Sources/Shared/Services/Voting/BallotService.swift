package import Commitments
package import Domain
import Foundation
package import Logging
package import Ports
package import Storage

/// Casting a ballot: who may, in which sprint, and what follows.
package struct BallotService: Sendable {
    private let box: BallotBox
    private let keys: BallotKeyService
    private let store: any Store
    private let ballots: any BallotStore
    private let sprints: SprintService
    private let memberships: MembershipCache
    private let secret: BallotSecret
    private let publicURL: String
    private let clock: WallClock
    private let logger: Logger
    private let papers = PaperLimiter()
    private let mailboxes: SharedMailboxes

    /// - Parameters:
    ///   - secret: the key for receipts.
    ///   - publicURL: where the pages are, such as `https://happiness.example.org`.
    package init(
        box: BallotBox, keys: BallotKeyService, stores: Stores, sprints: SprintService, memberships: MembershipCache,
        secret: BallotSecret, publicURL: String, clock: WallClock, logger: Logger
    ) {
        self.box = box
        self.keys = keys
        store = stores.rows
        ballots = stores.ballots
        self.sprints = sprints
        self.memberships = memberships
        mailboxes = SharedMailboxes(stores: stores, subaddressing: secret.subaddressing, clock: clock)
        self.secret = secret
        self.publicURL = publicURL
        self.clock = clock
        self.logger = logger
    }

    /// The sprint in which a ballot is to be cast.
    package enum Target: Hashable, Sendable {
        /// Given by the sprint's own label.
        case label(SprintLabel)
        /// Given by the label a first client computed, checked leniently (`ClassicSprintLabels`): always the running
        /// sprint.
        case classicLabel(String)
    }

    /// Casts a ballot; when the call returns, the ballot is stored durably and exactly once.
    /// - Throws: `AppError`: `notFound` for a team the voter is not in, `unprocessable` (`sprint-not-open`, naming the open
    ///   sprint; `sealed-ballots-only`), `conflict` (`already-voted`; `mailbox-voted` if another member with the same
    ///   mailbox has; `sprint-complete`), `unauthenticated` for an ended session, `unavailable`.
    package func cast(
        by voter: Principal, in teamID: Team.ID, for target: Target, happiness: Happiness, feedback: FeedbackText?
    ) async throws {
        let sprint: Sprint
        do {
            sprint = try await openSprint(target, of: teamID)
            try requirePlainBallots(in: sprint)
        } catch let rejection as AppError where rejection.code != .unavailable {
            // The error reveals details of the sprint, which outsiders must not see. For a valid ballot the commit
            // checks the membership, so it is not read here.
            try await requireMembership(of: voter.userID, in: teamID)
            throw rejection
        }
        let ballot = Ballot(
            voter: try await self.voter(voter, in: sprint.key), sprint: sprint.key, happiness: happiness,
            feedback: try feedback.map { try SealedFeedback($0, in: sprint.key, secret: secret) })
        try await finish(try await box.cast(ballot), in: sprint)
    }

    /// Signs a ballot paper for a member, who cannot vote in another way afterwards. The same blinded message gets the
    /// same signature again.
    /// - Returns: the signature of the blinded message, 256 bytes.
    /// - Throws: as `cast`, `unprocessable` (`blinded-message-not-valid`), and `tooManyRequests` (`paper-under-way`) while
    ///   another request of the same user is answered.
    package func issuePaper(
        to voter: Principal, in teamID: Team.ID, for label: SprintLabel, blindedMessage: [UInt8]
    ) async throws -> [UInt8] {
        try await requireMembership(of: voter.userID, in: teamID)
        let sprint = try await openSprint(.label(label), of: teamID)
        let request = PaperRequest(
            voter: try await self.voter(voter, in: sprint.key), blindedMessage: blindedMessage, secret: secret)
        return try await papers.answer(to: request) { [self] in
            // Signatures share one thread, so nothing is signed for a request that would be rejected.
            try await finish(try await ballots.outcome(of: request, at: clock.now), in: sprint)
            let signature = try await keys.sign(blindedMessage, in: sprint.key)
            // Decides, whatever other processes have stored since the first look.
            try await finish(try await box.cast(.request(request)), in: sprint)
            return signature
        }
    }

    /// Casts a sealed ballot. The paper is the right to do so; nobody is asked who they are.
    /// - Parameter randomness: the blinding factor of its commitment; `nil` if the voter's device chose none.
    /// - Throws: `AppError`: `notFound` for an unknown key, `unprocessable` (`ballot-paper-not-valid`, `sprint-not-open`),
    ///   `conflict` (`already-counted`) if the paper has been used, `unavailable`.
    package func castSealed(
        _ paper: BallotPaper, signature: [UInt8], keyID: BallotKey.ID, happiness: Happiness, feedback: FeedbackText?,
        randomness: BlindingFactor? = nil
    ) async throws {
        let spent = try await keys.spend(paper, signature: signature, keyID: keyID)
        let ballot = Ballot(
            paper: spent, happiness: happiness,
            feedback: try feedback.map { try SealedFeedback($0, in: spent.sprint, secret: secret) },
            randomness: randomness ?? .random())
        switch try await box.cast(ballot) {
        case .counted(let mayComplete):
            if mayComplete { await closeIfComplete(spent.sprint) } else { await closeIfSharing(spent.sprint) }
        case .sprintClosed where try await !keys.isSpent(spent):
            throw BallotKeyService.sprintEnded
        case .alreadyCounted, .sprintClosed:
            throw AppError(.conflict, "This ballot has already been counted.", reason: .alreadyCounted)
        case .issued, .alreadyVoted, .mailboxVoted, .notAMember, .sessionEnded:
            throw ImpossibleOutcome()
        }
    }

    /// The key with which papers of a sprint are signed, for a member: clients of version 0.1.0 ask for it like this.
    /// - Throws: as `issuePaper`.
    package func ballotKey(
        for member: Principal, in teamID: Team.ID, for label: SprintLabel
    ) async throws -> BallotKey {
        try await requireMembership(of: member.userID, in: teamID)
        return try await keys.key(of: try await openSprint(.label(label), of: teamID).key)
    }

    /// The key of a sprint, open or closed, for anyone: each voter must get the same one, so nobody is asked who they
    /// are. Starts no sprint.
    /// - Throws: `AppError`: `notFound` (`no-such-ballot-key`), no matter whether team, sprint or key is missing;
    ///   `unavailable`.
    package func publicBallotKey(of teamID: Team.ID, for label: SprintLabel) async throws -> BallotKey {
        guard let sprint = try await store.read({ try $0.sprint(of: teamID, labelled: label) })?.sprint else {
            throw AppError.noSuchBallotKey
        }
        return try await keys.publicKey(of: sprint.key)
    }

    private func voter(_ voter: Principal, in sprint: Sprint.Key) async throws -> Ballot.Voter {
        Ballot.Voter(
            sessionID: voter.sessionID, userID: voter.userID,
            receipt: Receipt(secret: secret, sprint: sprint, userID: voter.userID),
            sharedReceipts: try await sharedReceipts(with: voter.userID, in: sprint))
    }

    /// Those of other members with the same mailbox.
    private func sharedReceipts(with userID: User.ID, in sprint: Sprint.Key) async throws -> [Receipt] {
        try await mailboxes.sharers(with: userID, in: sprint.teamID)
            .map { Receipt(secret: secret, sprint: sprint, userID: $0) }
    }

    /// What follows from the outcome for a voter who is logged in.
    private func finish(_ outcome: BallotOutcome, in sprint: Sprint) async throws {
        switch outcome {
        case .counted(let mayComplete):
            // Members who share a mailbox have one ballot, so a team can be complete with fewer ballots than members.
            if mayComplete { await closeIfComplete(sprint.key) } else { await closeIfSharing(sprint.key) }
        case .issued:
            return
        case .alreadyVoted, .alreadyCounted:
            throw AppError(.conflict, "You’ve already voted in this sprint.", reason: .alreadyVoted)
        case .mailboxVoted:
            throw Self.mailboxVoted
        case .sprintClosed:
            throw clock.now < sprint.closes ? Self.complete(sprint) : Self.ended(sprint)
        case .notAMember:
            throw AppError.noSuchTeam
        case .sessionEnded:
            throw AppError.sessionEnded
        }
    }

    /// Performs the checks of `cast` that do not need the store of ballots, and casts nothing: for programs that test a
    /// request.
    /// - Throws: what `cast` throws, except `already-voted` and `mailbox-voted`.
    package func validate(by voter: Principal, in teamID: Team.ID, for target: Target) async throws {
        try await requireMembership(of: voter.userID, in: teamID)
        try requirePlainBallots(in: try await openSprint(target, of: teamID))
    }

    private func requirePlainBallots(in sprint: Sprint) throws(AppError) {
        guard sprint.ballots == .sealed else { return }
        throw AppError(
            .unprocessable,
            "Your team only counts sealed votes. Please vote in a browser: \(publicURL)/teams/\(sprint.teamID)/vote",
            reason: .sealedBallotsOnly)
    }

    /// Whether another member with the user's mailbox has voted in a sprint, so that the user cannot. For callers that
    /// have checked membership.
    /// - Throws: `AppError.unavailable`.
    package func hasMailboxVoted(of userID: User.ID, in sprint: Sprint.Key) async throws -> Bool {
        let shared = try await sharedReceipts(with: userID, in: sprint)
        return shared.isEmpty ? false : try await !ballots.existing(among: shared).isEmpty
    }

    /// Whether a user can vote in a sprint, as answers of the API say it.
    package enum VoteState: String, Encodable, Sendable {
        /// The user can vote.
        case open
        /// The user has voted, or has a ballot paper.
        case voted
        /// Nobody can vote any more. It does not say whether the user has: after the close that is not stored.
        case closed
    }

    /// Whether the user can vote in a sprint. For callers that have checked membership.
    ///
    /// A closed sprint is `closed` for everyone, also while its receipts are being removed. Both reads are always made:
    /// the time of the answer is the same for those who have voted and those who have not.
    package func voteState(of userID: User.ID, in sprint: Sprint.Key) async throws -> VoteState {
        // The receipt first: a sprint that closes in between would otherwise seem open to a user who has voted.
        let hasReceipt = try await ballots.contains(Receipt(secret: secret, sprint: sprint, userID: userID))
        if try await store.sprint(sprint)?.state.isClosed == true { return .closed }
        return hasReceipt ? .voted : .open
    }

    /// Whether the user has voted in a sprint, or can no longer vote because it is closed: after the close it is not
    /// stored who voted. For callers that have checked membership.
    package func hasVoted(_ userID: User.ID, in sprint: Sprint.Key) async throws -> Bool {
        try await voteState(of: userID, in: sprint) != .open
    }

    /// The open sprint that matches the target.
    /// - Throws: `AppError.unprocessable` (`sprint-not-open`), naming the open one; `AppError.malformed` for an invalid
    ///   classic label.
    package func openSprint(_ target: Target, of teamID: Team.ID) async throws -> Sprint {
        let running = try await sprints.runningSprint(of: teamID)
        switch target {
        case .label(let label):
            if label == running.label { return running }
            if let open = try await sprints.openSprints(of: teamID).first(where: { $0.label == label }) { return open }
        case .classicLabel(let text):
            guard let label = SprintLabel(text) else {
                throw AppError(.malformed, "A sprint looks like \(running.label).", reason: .notASprint)
            }
            // The clients know only one calendar, so the label is checked against that one, in the team's zone.
            let zone = try await zone(of: teamID)
            if label == running.label || ClassicSprintLabels.accepts(label, at: clock.now, zone: zone) {
                return running
            }
        }
        throw AppError(
            .unprocessable, "This sprint isn’t open. The open sprint is \(running.label).", reason: .sprintNotOpen)
    }

    /// Closed early: every member at that time has voted, and the receipts are gone. So a ballot that is sent again
    /// after a lost response gets this error instead of `already-voted`.
    private static func complete(_ sprint: Sprint) -> AppError {
        AppError(
            .conflict, "Everyone has voted in sprint \(sprint.label), so voting is closed.", reason: .sprintComplete)
    }

    /// Another member with the same mailbox has voted.
    private static let mailboxVoted = AppError(
        .conflict,
        "A vote has already been cast from your mailbox in this sprint, by another account of it in the team. A mailbox "
            + "has one vote. Please ask your team lead to remove one of the accounts.", reason: .mailboxVoted)

    private static func ended(_ sprint: Sprint) -> AppError {
        AppError(
            .unprocessable, "Sprint \(sprint.label) has ended and accepts no more votes.", reason: .sprintNotOpen)
    }

    /// Requires a member of the team; cached.
    /// - Throws: `AppError.notFound`.
    package func requireMembership(of userID: User.ID, in teamID: Team.ID) async throws {
        guard try await memberships.membership(of: userID, in: teamID) != nil else { throw AppError.noSuchTeam }
    }

    private func zone(of teamID: Team.ID) async throws -> TimeZone {
        guard let team = try await store.team(teamID) else { throw AppError.noSuchTeam }
        return team.settings.zone
    }

    /// Closes a complete sprint of a team in which members share a mailbox.
    private func closeIfSharing(_ key: Sprint.Key) async {
        do {
            if try await mailboxes.areAny(in: key.teamID) { await closeIfComplete(key) }
        } catch {
            logger.warning(
                "It is not known whether members of a team share a mailbox; a complete sprint closes at its end",
                metadata: ["error": "\(type(of: error))"])
        }
    }

    /// The vote is stored whatever happens here; a failed close is repeated when the sprint ends.
    private func closeIfComplete(_ key: Sprint.Key) async {
        do {
            try await sprints.closeIfEveryoneVoted(key)
        } catch {
            logger.warning(
                "A complete sprint could not be closed; it closes at its end", metadata: ["error": "\(type(of: error))"]
            )
        }
    }
}

/// An outcome that only entries with a login can have. A client takes `already-counted` as success, so this is not
/// reported as such.
private struct ImpossibleOutcome: Error {}
