import Commitments
package import Foundation

/// Decides what a batch from a ballot box changes: which ballots and requests are accepted, and what a store writes for
/// them.
///
/// Pure, and the same for both stores: a store fetches the facts, and writes the decision in one transaction.
package struct BallotDecision {
    /// The facts about the voters and the sprints they vote in.
    package struct Facts {
        /// `nil` while the query is still running: all voters are then assumed to be admitted.
        package var admission: BallotAdmission?
        /// The sprints, with the terms and state that counting needs.
        package var sprints: [Sprint.Key: OpenSprint] = [:]
        /// Existing receipts with the mark of the request they belong to, which plain ballots have not. Empty if the
        /// store was not asked; then the insert detects duplicates.
        package var receipts: [Receipt: [UInt8]?] = [:]
        /// Existing papers, under the same condition.
        package var spentPapers: Set<SpentPaper> = []

        /// Facts read in the transaction that casts.
        package init(
            admission: BallotAdmission? = nil, sprints: [Sprint.Key: OpenSprint] = [:],
            receipts: [Receipt: [UInt8]?] = [:], spentPapers: Set<SpentPaper> = []
        ) {
            self.admission = admission
            self.sprints = sprints
            self.receipts = receipts
            self.spentPapers = spentPapers
        }
    }

    /// The part of a sprint that counting needs.
    package struct OpenSprint: Hashable {
        package let policy: PublicationPolicy
        package let threshold: Int
        package let state: PublicationState

        /// A sprint as it was read in that transaction.
        package init(policy: PublicationPolicy, threshold: Int, state: PublicationState) {
            self.policy = policy
            self.threshold = threshold
            self.state = state
        }
    }

    /// The effect of the batch on one sprint.
    package struct SprintChange {
        package let key: Sprint.Key
        package let before: OpenSprint
        package fileprivate(set) var after: PublicationState
        /// Papers that are issued now, and papers that are spent now.
        package fileprivate(set) var papers = PaperCounts()
    }

    /// A receipt to be stored.
    package struct NewReceipt {
        package let receipt: Receipt
        /// Of the request; `nil` for a plain ballot.
        package let mark: [UInt8]?
        /// Receipts that must not exist, as in `Ballot.Voter`.
        package let sharedReceipts: [Receipt]
    }

    /// The sprints that accepted entries belong to, in order of their first one.
    package private(set) var sprintChanges: [SprintChange] = []
    /// The receipts of accepted plain ballots and requests.
    package private(set) var receipts: [NewReceipt] = []
    /// The accepted ballots, with the number of the snapshot that will release their feedback.
    package private(set) var counted: [(ballot: Ballot, snapshot: Int)] = []
    /// For each entry, in order, its sprint and its outcome; `nil` for a counted ballot.
    private var decisions: [(sprint: Sprint.Key, outcome: BallotOutcome?)] = []

    /// Whether there is nothing to write.
    package var isEmpty: Bool { sprintChanges.isEmpty }

    /// Decides on `entries`, in the order in which they arrived.
    package init(_ entries: [BallotBoxEntry], facts: Facts, at now: Date) {
        var known = (receipts: facts.receipts, papers: facts.spentPapers)
        var values: [Sprint.Key: (happiness: [Happiness], randomness: BlindingFactor)] = [:]
        var places: [Sprint.Key: Int] = [:]
        for entry in entries {
            let key = entry.sprint
            if let voter = entry.voter, let rejection = facts.admission?.rejection(of: voter, in: key.teamID, at: now) {
                decisions.append((key, rejection))
                continue
            }
            guard let sprint = facts.sprints[key], !sprint.state.isClosed else {
                decisions.append((key, .sprintClosed))
                continue
            }
            if let outcome = Self.known(entry, receipts: known.receipts, papers: known.papers) {
                decisions.append((key, outcome))
                continue
            }
            if places[key] == nil {
                places[key] = sprintChanges.count
                sprintChanges.append(SprintChange(key: key, before: sprint, after: sprint.state))
            }
            let place = places[key, default: 0]
            switch entry {
            case .request(let request):
                known.receipts[request.voter.receipt] = .some(request.mark)
                receipts.append(
                    NewReceipt(
                        receipt: request.voter.receipt, mark: request.mark,
                        sharedReceipts: request.voter.sharedReceipts))
                sprintChanges[place].papers.issued += 1
                decisions.append((key, .issued))
            case .ballot(let ballot):
                switch ballot.right {
                case .voter(let voter):
                    known.receipts[voter.receipt] = .some(nil)
                    receipts.append(NewReceipt(receipt: voter.receipt, mark: nil, sharedReceipts: voter.sharedReceipts))
                case .paper(let paper):
                    known.papers.insert(paper)
                    sprintChanges[place].papers.spent += 1
                }
                values[key, default: ([], .zero)].happiness.append(ballot.happiness)
                values[key]?.randomness += ballot.randomness
                counted.append((ballot, sprint.state.snapshotNumber + 1))
                decisions.append((key, nil))
            }
        }
        for place in sprintChanges.indices {
            let before = sprintChanges[place].before
            guard let new = values[sprintChanges[place].key] else { continue }
            sprintChanges[place].after.count(
                new.happiness, randomness: new.randomness, policy: before.policy, threshold: before.threshold)
        }
    }

    /// The outcome of an entry that was accepted before; `nil` if it is new.
    private static func known(
        _ entry: BallotBoxEntry, receipts: [Receipt: [UInt8]?], papers: Set<SpentPaper>
    ) -> BallotOutcome? {
        switch entry {
        case .request(let request):
            guard let mark = receipts[request.voter.receipt] else { return shared(request.voter, receipts) }
            return mark == request.mark ? .issued : .alreadyVoted
        case .ballot(let ballot):
            switch ballot.right {
            case .voter(let voter):
                return receipts[voter.receipt] == nil ? shared(voter, receipts) : .alreadyVoted
            case .paper(let paper): return papers.contains(paper) ? .alreadyCounted : nil
            }
        }
    }

    /// `.mailboxVoted` if another member with the voter's mailbox has a receipt.
    private static func shared(_ voter: Ballot.Voter, _ receipts: [Receipt: [UInt8]?]) -> BallotOutcome? {
        voter.sharedReceipts.contains { receipts[$0] != nil } ? .mailboxVoted : nil
    }

    /// One per entry, in order; valid once the writes are committed.
    /// - Parameter memberCounts: members of each team, read after the entries arrived.
    package func outcomes(memberCounts: [Team.ID: Int]) -> [BallotOutcome] {
        let complete = Set(
            sprintChanges.lazy
                .filter { $0.after.current.count >= memberCounts[$0.key.teamID] ?? .max }
                .map(\.key))
        return decisions.map { $0.outcome ?? .counted(mayComplete: complete.contains($0.sprint)) }
    }
}

extension BallotDecision.SprintChange {
    /// Whether a snapshot was taken or published.
    package var takesSnapshot: Bool {
        after.snapshotNumber != before.state.snapshotNumber || after.publishedNumber != before.state.publishedNumber
    }
}
