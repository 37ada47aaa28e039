import Commitments
import Foundation
import TestSupport

@testable import Domain

/// One sprint of a team, in which everything happens that may happen: votes of both kinds, lost requests and answers,
/// two servers at once, crashes before and after a commit, members who come, go and log out, and a raised threshold. The
/// same seed gives the same sprint.
///
/// Devices do what the clients do: they repeat a request until they have an answer.
struct SimulatedSprint {
    /// Mistakes that a server could make. The checks must find each.
    enum Defect: CaseIterable {
        /// It writes though another server has changed the sprint since it looked.
        case overwrites
        /// It forgets which papers are spent.
        case forgetsPapers
        /// It forgets who has voted.
        case forgetsReceipts
        /// It answers before it writes.
        case answersEarly
        /// It counts a vote and loses what hides its value.
        case losesRandomness
        /// It publishes every ballot at once.
        case publishesAll
    }

    /// What is wrong after a sprint.
    struct Violation: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    let people: SimulatedPeople
    private(set) var store: SimulatedStore
    private(set) var violations: Set<Violation> = []
    private var random: SeededGenerator
    private let defect: Defect?
    /// Who would like to vote, and has no answer that says that they have.
    private var devices: [Device] = []
    /// What each server remembers of the sprint.
    private var servers: [BallotDecision.OpenSprint?]
    /// Published states, in their order, with the threshold when they appeared.
    private var published: [(tally: Tally, threshold: Int)] = []
    private var raise = ThresholdRaise()

    /// A member's device.
    private struct Device {
        let member: Int
        let value: Int
        let isSealed: Bool
        var hasPaper = false
        /// The server has said that the ballot is counted.
        var isDone = false
        /// The server has rejected it for good.
        var isRefused = false

        var isWaiting: Bool { !isDone && !isRefused }
    }

    /// - Parameter people: made once for many sprints, since keys, receipts and commitments take their time.
    init(seed: UInt64, people: SimulatedPeople, defect: Defect? = nil) {
        var random = SeededGenerator(seed: seed)
        self.people = people
        self.defect = defect
        let members = Int.random(in: 3...people.count, using: &random)
        let policy: PublicationPolicy = Int.random(in: 0..<3, using: &random) == 0 ? .close : .live
        store = SimulatedStore(
            sprint: BallotDecision.OpenSprint(
                policy: policy, threshold: Int.random(in: 2...5, using: &random), state: .initial))
        servers = Array(repeating: nil, count: Int.random(in: 1...3, using: &random))
        for member in 0..<members {
            store.admit(people, member)
            // Some never vote, and some others would like to vote and are not members.
            if Int.random(in: 0..<8, using: &random) > 0 {
                devices.append(
                    Device(
                        member: member, value: Int.random(in: 0...10, using: &random),
                        isSealed: Bool.random(using: &random)))
            }
        }
        if members < people.count {
            devices.append(Device(member: members, value: 5, isSealed: false))
        }
        self.random = random
    }

    /// Plays the sprint to its end, and checks what must hold.
    /// - Returns: the number of counted ballots.
    mutating func play() -> Int {
        // Nobody needs so many attempts: a sprint that does not end is a violation, too.
        var steps = 200 * people.count
        while devices.contains(where: \.isWaiting), !store.sprint.state.isClosed {
            steps -= 1
            guard steps > 0 else {
                violate("the sprint does not end")
                break
            }
            step()
        }
        store.close()
        look()
        check()
        return store.ledger.count
    }

    // MARK: - What happens

    private mutating func step() {
        switch Int.random(in: 0..<40, using: &random) {
        case 0: changeThreshold()
        case 1: restartServer()
        case 2: changeMembers()
        default: sendSome()
        }
    }

    /// Some devices ask the same server at the same time.
    private mutating func sendSome() {
        let count = Int.random(in: 1...4, using: &random)
        var asking: [Int] = []
        for _ in 0..<count {
            let device = Int.random(in: devices.indices, using: &random)
            if devices[device].isWaiting, !asking.contains(device) { asking.append(device) }
        }
        var entries: [BallotBoxEntry] = []
        var senders: [Int] = []
        for device in asking {
            let state = devices[device]
            // Some devices send a sealed ballot again before they have an answer.
            let isImpatient = Bool.random(using: &random)
            let attempts = isImpatient && state.isSealed && state.hasPaper ? 2 : 1
            for _ in 0..<attempts {
                entries.append(
                    people.entry(of: state.member, state.value, isSealed: state.isSealed, hasPaper: state.hasPaper))
                senders.append(device)
            }
        }
        // Some refuse to leave it at that, and try the other way.
        if let device = asking.first, devices[device].isSealed, devices[device].hasPaper,
            Int.random(in: 0..<8, using: &random) == 0
        {
            entries.append(people.entry(of: devices[device].member, 10, isSealed: false, hasPaper: false))
            senders.append(-1)
        }
        cast(entries, from: senders)
    }

    private mutating func restartServer() {
        servers[Int.random(in: servers.indices, using: &random)] = nil
    }

    /// The lead tries to raise the threshold, or to undo that.
    private mutating func changeThreshold() {
        let sprint = store.sprint
        let threshold = raise.change(
            to: Int.random(in: 2...6, using: &random), from: sprint.threshold, ballots: sprint.state.current.count)
        store.sprint = BallotDecision.OpenSprint(policy: sprint.policy, threshold: threshold, state: sprint.state)
    }

    private mutating func changeMembers() {
        let member = Int.random(in: 0..<people.count, using: &random)
        if Int.random(in: 0..<4, using: &random) == 0 {
            store.remove(people, member)
        } else {
            store.admit(people, member)
        }
    }

    /// One server takes a batch: it looks, decides, writes, and answers, and may die in between.
    private mutating func cast(_ entries: [BallotBoxEntry], from senders: [Int]) {
        guard !entries.isEmpty else { return }
        let server = Int.random(in: servers.indices, using: &random)
        // It relies on what it remembers, like the MongoDB store, or asks.
        var facts = store.facts(people)
        if let remembered = servers[server], Bool.random(using: &random) { facts.sprints = [people.sprint: remembered] }
        if defect == .forgetsPapers { facts.spentPapers = [] }
        if defect == .forgetsReceipts { facts.receipts = [:] }
        let decision = BallotDecision(entries, facts: facts, at: people.now)
        let outcomes = decision.outcomes(memberCounts: [people.sprint.teamID: store.memberCount])
        if defect == .answersEarly { answer(outcomes, to: senders) }
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
            // It dies before it writes.
            servers[server] = nil
        case 1:
            // It dies before it answers.
            write(decision)
            servers[server] = nil
        default:
            guard write(decision) else {
                servers[server] = nil
                return
            }
            servers[server] = store.sprint
            answer(outcomes, to: senders)
            if outcomes.contains(.counted(mayComplete: true)) { closeIfEveryoneVoted() }
        }
    }

    private mutating func closeIfEveryoneVoted() {
        guard store.closeIfEveryoneVoted(people) else { return }
        look()
        let state = store.sprint.state
        if state.published != state.current { violate("an early end left ballots unpublished") }
        let counted = Set(store.ledger.map(\.right))
        for device in devices where store.isMember(people, device.member) {
            if !counted.contains(people.right(of: device.member, isSealed: device.isSealed)) {
                violate("an early end shut a member out")
            }
        }
    }

    /// - Returns: false if the decision was made for another state; nothing is written then.
    @discardableResult
    private mutating func write(_ decision: BallotDecision) -> Bool {
        guard !decision.isEmpty else { return true }
        guard store.write(decision, defect: defect) else { return false }
        look()
        return true
    }

    private mutating func answer(_ outcomes: [BallotOutcome], to senders: [Int]) {
        for (outcome, device) in zip(outcomes, senders) {
            // A stubborn member's second ballot must never count.
            if device < 0 {
                if case .counted = outcome { violate("a member voted with a paper and without") }
                continue
            }
            // Answers get lost, too.
            guard Int.random(in: 0..<10, using: &random) > 0 else { continue }
            switch outcome {
            case .counted, .alreadyCounted: devices[device].isDone = true
            case .alreadyVoted:
                // Only a device with the same ballot has this receipt.
                devices[device].isDone = true
            case .issued: devices[device].hasPaper = true
            case .mailboxVoted, .sprintClosed, .notAMember, .sessionEnded: devices[device].isRefused = true
            }
        }
    }

    /// Everybody reads what is published.
    private mutating func look() {
        let tally = defect == .publishesAll ? store.sprint.state.current : store.sprint.state.published
        if tally.count > 0, tally != published.last?.tally {
            published.append((tally, store.sprint.threshold))
        }
    }

    // MARK: - What must hold

    private mutating func check() {
        let state = store.sprint.state
        var ledger = Tally.empty
        var randomness = BlindingFactor.zero
        for ballot in store.ledger {
            ledger.add(ballot.happiness)
            randomness += ballot.randomness
        }
        if Set(store.ledger.map(\.right)).count != store.ledger.count { violate("a ballot was counted twice") }
        if ledger.count != state.current.count || ledger.sum != state.current.sum
            || ledger.distribution != state.current.distribution
        {
            violate("the tally is not the sum of the ballots")
        }
        // An early end relies on these numbers.
        let issued = store.receipts.values.count { $0 != nil }
        if store.papers != PaperCounts(issued: issued, spent: store.spentPapers.count) {
            violate("papers are not counted as they were issued and spent")
        }
        if randomness != state.current.randomness { violate("the commitments cannot be opened") }
        for device in devices where device.isDone {
            let right = people.right(of: device.member, isSealed: device.isSealed)
            if !store.ledger.contains(where: { $0.right == right && $0.happiness.tenths == device.value * 10 }) {
                violate("an acknowledged ballot is missing")
            }
        }
        var before = 0
        for (tally, threshold) in published {
            if tally.count - before < threshold { violate("two published states are too close") }
            before = tally.count
        }
    }

    /// Whether the commitments of the published ballots open to the published sums, as everybody can check.
    func isCountRight() -> Bool {
        let state = store.sprint.state
        return Commitment.areOpened(
            store.commitments.filter { $0.snapshot <= state.publishedNumber }.map(\.commitment),
            by: state.published.sum, randomness: state.published.randomness)
    }

    private mutating func violate(_ description: String) {
        violations.insert(Violation(description: description))
    }
}
