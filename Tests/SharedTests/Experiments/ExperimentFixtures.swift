import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

/// A team with an experiment about the first reminder of the sprint from `TestTeam.firstMonday` on, and its measurer.
struct ExperimentTeam: Sendable {
    /// An hour after the sprint's close.
    static let afterClose = TestTeam.firstMonday + 14 * TestTeam.day + 3_600

    let made: TestTeam
    let sprint: Sprint
    let experiment: ReminderExperiment

    var stores: Stores { made.stores }
    private var measurer: ExperimentMeasurer { ExperimentMeasurer(stores: stores, secret: TestTeam.secret) }

    /// - Parameter sent: the delivery's outcome; `nil` for no delivery.
    static func make(
        in stores: Stores, members: Int = 40, settings: TeamSettings = TeamSettings(), sent: Delivery.State? = .done
    ) async throws -> ExperimentTeam {
        let made = try await TestTeam.make(in: stores, members: members, settings: settings)
        let clock = WallClock { TestTeam.firstMonday }
        let sprint = try await SprintService(stores: stores, secret: TestTeam.secret, clock: clock)
            .runningSprint(of: made.team.id)
        let monday = CalendarDay(instant: sprint.start, in: .gmt)
        let experiment = ReminderExperiment(
            id: balancedID(for: made.members), teamID: made.team.id, kind: .first, first: monday,
            last: monday.adding(days: 60),
            wordings: [.a: [.english: ReminderText(title: "A")]])
        try await stores.insert(experiment)
        if let sent {
            let occasion = Delivery.Occasion(sprint: sprint.key, kind: .reminder, day: monday)
            _ = try await stores.insert(Delivery(occasion: occasion, state: sent, begun: sprint.start))
        }
        return ExperimentTeam(made: made, sprint: sprint, experiment: experiment)
    }

    /// An id that puts at least a third of the members on each side, so that no test fails by chance.
    private static func balancedID(for people: [Principal]) -> ReminderExperiment.ID {
        let sides = ExperimentSides(secret: TestTeam.secret)
        while true {
            let id = ReminderExperiment.ID.random()
            let a = people.count { sides.side(of: $0.userID, in: id) == .a }
            if min(a, people.count - a) >= people.count / 3 { return id }
        }
    }

    /// The members on a side, in the order in which they joined.
    func members(on side: ReminderExperiment.Side) -> [Principal] {
        let sides = ExperimentSides(secret: TestTeam.secret)
        return made.members.filter { sides.side(of: $0.userID, in: experiment.id) == side }
    }

    /// The first `a` and `b` members of each side vote.
    func vote(a: Int, b: Int) async throws {
        let voters = members(on: .a).prefix(a) + members(on: .b).prefix(b)
        let box = BallotBox(
            store: stores.ballots, partitions: 1, clock: WallClock { TestTeam.firstMonday + TestTeam.day })
        defer { box.close() }
        for voter in voters {
            _ = try await box.cast(try made.ballot(of: voter, in: sprint.key))
        }
    }

    /// Records the membership while the sprint runs.
    func look() async throws {
        try await measurer.noteMembers(at: TestTeam.firstMonday + 3_600)
    }

    /// Closes the sprint, which measures it, and measures once more.
    func measure(at now: Date = afterClose) async throws {
        try await SprintClosing(stores: stores, secret: TestTeam.secret).close(sprint.key)
        try await measurer.noteMembers(at: now)
    }

    /// The stored result of the sprint.
    func result() async throws -> ExperimentResult? {
        try await stores.read { try $0.experimentResults(of: experiment.id) }[sprint.start]
    }

    /// The report as seen by a lead who is still in the team.
    func report(at now: Date = afterClose) async throws -> ExperimentReport {
        let team = made.team.id
        let reader = try #require(try await stores.members(of: team).first)
        if reader.role != .lead {
            try await stores.transaction {
                try $0.setRole(.lead, insteadOf: reader.role, of: reader.userID, in: team, by: .operator)
            }
        }
        let service = ExperimentService(stores: stores, clock: WallClock { now })
        return try #require(try await service.find(experiment.id, of: team, by: .user(reader.userID)).report)
    }

    /// The expected counts if `a` and `b` members of each side voted.
    func counts(a: Int, b: Int) -> ExperimentCounts {
        ExperimentCounts(
            a: SideCounts(members: members(on: .a).count, voted: a),
            b: SideCounts(members: members(on: .b).count, voted: b))
    }
}
