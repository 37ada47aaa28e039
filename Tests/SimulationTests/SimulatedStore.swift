import Commitments
import Domain
import Foundation

/// What a store keeps of one sprint, in memory. It writes a decision as the real ones do: all or nothing, and only if
/// the sprint still is what the decision was made for and no receipt or paper exists twice.
struct SimulatedStore {
    var sprint: BallotDecision.OpenSprint
    private(set) var receipts: [Receipt: [UInt8]?] = [:]
    private(set) var spentPapers: Set<SpentPaper> = []
    private(set) var commitments: [(commitment: Commitment, snapshot: Int)] = []
    /// Every ballot that was ever written. No real store has this.
    private(set) var ledger: [Ballot] = []
    /// Papers issued and spent.
    private(set) var papers = PaperCounts()
    private var admission = BallotAdmission()

    /// An open sprint without ballots and members.
    init(sprint: BallotDecision.OpenSprint) {
        self.sprint = sprint
    }

    var memberCount: Int { admission.memberships.count }

    mutating func admit(_ people: SimulatedPeople, _ member: Int) {
        let voter = people.voters[member]
        admission.sessions[voter.sessionID] = (voter.userID, .distantFuture)
        admission.memberships.insert(BallotAdmission.Member(teamID: people.sprint.teamID, userID: voter.userID))
    }

    /// Receipts and papers stay.
    mutating func remove(_ people: SimulatedPeople, _ member: Int) {
        admission.memberships.remove(
            BallotAdmission.Member(teamID: people.sprint.teamID, userID: people.voters[member].userID))
    }

    func facts(_ people: SimulatedPeople) -> BallotDecision.Facts {
        BallotDecision.Facts(
            admission: admission, sprints: [people.sprint: sprint], receipts: receipts, spentPapers: spentPapers)
    }

    func isMember(_ people: SimulatedPeople, _ member: Int) -> Bool {
        admission.memberships.contains(
            BallotAdmission.Member(teamID: people.sprint.teamID, userID: people.voters[member].userID))
    }

    /// - Returns: false if nothing was written.
    mutating func write(_ decision: BallotDecision, defect: SimulatedSprint.Defect?) -> Bool {
        guard let change = decision.sprintChanges.first else { return true }
        guard defect == .overwrites || (change.before == sprint && !sprint.state.isClosed) else { return false }
        let spent = decision.counted.compactMap { BallotBoxEntry.ballot($0.ballot).paper }
        let isNew =
            decision.receipts.allSatisfy { receipts[$0.receipt] == nil } && spentPapers.isDisjoint(with: spent)
        guard isNew || defect == .forgetsPapers || defect == .forgetsReceipts else { return false }
        for receipt in decision.receipts { receipts[receipt.receipt] = .some(receipt.mark) }
        spentPapers.formUnion(spent)
        papers.issued += change.papers.issued
        papers.spent += change.papers.spent
        for (ballot, snapshot) in decision.counted {
            ledger.append(ballot)
            commitments.append((ballot.commitment, snapshot))
        }
        var after = change.after
        if defect == .losesRandomness {
            after = change.before.state
            after.count(
                decision.counted.map(\.ballot.happiness), policy: change.before.policy,
                threshold: change.before.threshold)
        }
        sprint = BallotDecision.OpenSprint(policy: sprint.policy, threshold: sprint.threshold, state: after)
        return true
    }

    /// Closes the sprint if every member has voted, as the services do when that may be so.
    /// - Returns: whether it closed.
    mutating func closeIfEveryoneVoted(_ people: SimulatedPeople) -> Bool {
        let members = people.voters.indices.filter { isMember(people, $0) }
        let record = SprintRecord(
            sprint: Sprint(
                teamID: people.sprint.teamID, start: people.sprint.start, end: .distantFuture, closes: .distantFuture,
                label: SprintLabel(year: 2026, number: 1), threshold: sprint.threshold, policy: sprint.policy),
            state: sprint.state, eligible: 0, papers: papers)
        let mayClose = record.mayCloseEarly(
            members: members.count, receipts: members.count { receipts[people.voters[$0].receipt] != nil },
            isAnyoneInvited: false)
        if mayClose { close() }
        return mayClose
    }

    /// Closes the sprint, as at its end.
    mutating func close() {
        var state = sprint.state
        state.close(policy: sprint.policy, threshold: sprint.threshold)
        sprint = BallotDecision.OpenSprint(policy: sprint.policy, threshold: sprint.threshold, state: state)
    }
}
