import Domain
import Foundation
import Logging
import Services
import Storage
import TestSupport
import Testing

/// Who may vote, in which sprint, and with what effect, on a real SQLite store.
@Suite struct BallotServiceTests {
    @Test func `A vote is counted once and remembered`() async throws {
        try await Self.withService { fixture in
            let voter = fixture.team.members[0]
            #expect(try await fixture.service.hasVoted(voter.userID, in: fixture.sprint.key) == false)
            try await fixture.cast(by: voter)
            #expect(try await fixture.service.hasVoted(voter.userID, in: fixture.sprint.key))
            #expect(await fixture.reason { try await fixture.cast(by: voter) } == .alreadyVoted)
            #expect(try await fixture.state().current.count == 1)
        }
    }

    @Test func `A closed sprint is closed for a voter and for a member who did not vote`() async throws {
        try await Self.withService { fixture in
            let (voter, other) = (fixture.team.members[0], fixture.team.members[1])
            func states() async throws -> [BallotService.VoteState] {
                [
                    try await fixture.service.voteState(of: voter.userID, in: fixture.sprint.key),
                    try await fixture.service.voteState(of: other.userID, in: fixture.sprint.key),
                ]
            }
            try await fixture.cast(by: voter)
            #expect(try await states() == [.voted, .open])
            // The receipts are still there, but nothing tells of them.
            #expect(try await fixture.team.stores.ballots.close(fixture.sprint.key))
            #expect(try await states() == [.closed, .closed])
            #expect(try await fixture.service.hasVoted(other.userID, in: fixture.sprint.key))
        }
    }

    @Test func `The vote of a user without a team or session does not count`() async throws {
        try await Self.withService { fixture in
            let other = try await TestTeam.make(in: fixture.team.stores, members: 1)
            #expect(await fixture.reason { try await fixture.cast(by: other.members[0]) } == .noSuchTeam)
            let ended = Principal(userID: fixture.team.members[0].userID, sessionID: .random())
            #expect(await fixture.reason { try await fixture.cast(by: ended) } == .sessionEnded)
            let borrowed = Principal(
                userID: fixture.team.members[0].userID, sessionID: fixture.team.members[1].sessionID)
            #expect(await fixture.reason { try await fixture.cast(by: borrowed) } == .sessionEnded)
            #expect(try await fixture.state().current.count == 0)
        }
    }

    @Test func `A stranger hears of no sprint, whatever label they name`() async throws {
        try await Self.withService { fixture in
            let stranger = try await TestTeam.make(in: fixture.team.stores, members: 1).members[0]
            for teamID in [fixture.team.team.id, .random()] {
                for target in [BallotService.Target.label(SprintLabel(year: 2025, number: 26)), .classicLabel("x")] {
                    let reason = await fixture.reason {
                        try await fixture.service.cast(
                            by: stranger, in: teamID, for: target, happiness: try Happiness(tenths: 70), feedback: nil)
                    }
                    #expect(reason == .noSuchTeam)
                }
            }
        }
    }

    @Test func `A closed sprint is refused, naming the open one`() async throws {
        try await Self.withService { fixture in
            let closed = SprintLabel(year: 2025, number: 26)
            let error = await #expect(throws: AppError.self) {
                try await fixture.service.openSprint(.label(closed), of: fixture.team.team.id)
            }
            #expect(error?.code == .unprocessable && error?.message.contains("2026/1") == true)
        }
    }

    /// A team with its own one-week sprints: the phones still compute two-week ISO sprints.
    @Test func `First clients' names mean the running sprint, whatever the team's calendar`() async throws {
        let calendar = try #require(SprintCalendar("cadence:2026-01-05:1"))
        try await Self.withService(settings: TeamSettings(calendar: calendar)) { fixture in
            fixture.clock.advance(by: 35 * TestTeam.day)
            let running = try await fixture.service.openSprint(.classicLabel("2026/3"), of: fixture.team.team.id)
            #expect(running.label.description == "2026/7")
            for label in ["2026/2", "2026/4", "2026/7"] {
                let meant = try await fixture.service.openSprint(.classicLabel(label), of: fixture.team.team.id)
                #expect(meant == running)
            }
            for label in ["2026/6", "2026/1"] {
                let reason = await fixture.reason {
                    _ = try await fixture.service.openSprint(.classicLabel(label), of: fixture.team.team.id)
                }
                #expect(reason == .sprintNotOpen)
            }
        }
    }

    @Test func `The last member's vote closes the sprint and publishes everything`() async throws {
        try await Self.withService(settings: TeamSettings(policy: .close)) { fixture in
            for voter in fixture.team.members.dropLast() { try await fixture.cast(by: voter) }
            #expect(try await fixture.state().published == .empty)
            try await fixture.cast(by: fixture.team.members[3])
            let state = try await fixture.state()
            #expect(state.isClosed && state.published.count == 4)
        }
    }

    @Test func `A team that counts sealed ballots only refuses plain ones from the next sprint on`() async throws {
        try await Self.withService { fixture in
            let (service, id, voter) = (fixture.service, fixture.team.team.id, fixture.team.members[0])
            try await fixture.team.stores.updateSettings(id: id, TeamSettings(ballots: .sealed))
            try await fixture.cast(by: voter)

            fixture.clock.advance(by: 14 * TestTeam.day)
            let next = SprintLabel(year: 2026, number: 2)
            for target in [BallotService.Target.label(next), .classicLabel(next.description)] {
                let error = await #expect(throws: AppError.self) {
                    try await service.cast(
                        by: voter, in: id, for: target, happiness: try Happiness(tenths: 70), feedback: nil)
                }
                #expect(error?.reason == .sealedBallotsOnly && error?.code == .unprocessable)
                #expect(error?.message.contains("https://happiness.example.org/teams/\(id)/vote") == true)
                let trial = await fixture.reason { try await service.validate(by: voter, in: id, for: target) }
                #expect(trial == .sealedBallotsOnly)
            }
            let stranger = try await TestTeam.make(in: fixture.team.stores, members: 1).members[0]
            let reason = await fixture.reason {
                try await service.cast(
                    by: stranger, in: id, for: .label(next), happiness: try Happiness(tenths: 70), feedback: nil)
            }
            #expect(reason == .noSuchTeam, "outsiders learn no setting")
            let key = try await service.ballotKey(for: voter, in: id, for: next)
            #expect(try await fixture.team.stores.sprint(key.sprint)?.state.current.count == 0)
        }
    }

    @Test func `A trial is refused like a vote and stores nothing`() async throws {
        try await Self.withService { fixture in
            let (service, teamID) = (fixture.service, fixture.team.team.id)
            let label = BallotService.Target.label(fixture.sprint.label)
            try await service.validate(by: fixture.team.members[0], in: teamID, for: label)
            let other = try await TestTeam.make(in: fixture.team.stores, members: 1)
            let stranger = await fixture.reason {
                try await service.validate(by: other.members[0], in: teamID, for: label)
            }
            #expect(stranger == .noSuchTeam)
            #expect(try await fixture.state().current.count == 0)
        }
    }

    private struct Fixture: Sendable {
        let team: TestTeam
        let sprint: Sprint
        let clock: SettableClock
        let service: BallotService

        func cast(by voter: Principal) async throws {
            try await service.cast(
                by: voter, in: team.team.id, for: .label(sprint.label), happiness: try Happiness(tenths: 70),
                feedback: nil)
        }

        func state() async throws -> PublicationState {
            try #require(try await team.stores.sprint(sprint.key)).state
        }

        /// The reason of the error that `body` throws; `nil` if it throws none.
        func reason(_ body: () async throws -> Void) async -> AppError.Reason? {
            do {
                try await body()
                return nil
            } catch {
                guard let rejection = error as? AppError else {
                    Issue.record(error)
                    return nil
                }
                return rejection.reason
            }
        }
    }

    private static func withService(
        settings: TeamSettings = TeamSettings(), _ body: (Fixture) async throws -> Void
    ) async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let team = try await TestTeam.make(in: stores, members: 4, settings: settings)
            let clock = SettableClock(TestTeam.firstMonday + TestTeam.day)
            let sprints = SprintService(stores: stores, secret: TestTeam.secret, clock: clock.wall)
            let box = BallotBox(store: stores.ballots, partitions: 1, clock: clock.wall)
            defer { box.close() }
            let service = BallotService(
                box: box,
                keys: BallotKeyService(
                    store: stores.ballotKeys, secret: TestTeam.secret, clock: clock.wall, logger: Logger(label: "test")),
                stores: stores, sprints: sprints, memberships: MembershipCache(stores: stores, clock: clock.wall),
                secret: TestTeam.secret, publicURL: "https://happiness.example.org", clock: clock.wall,
                logger: Logger(label: "test"))
            try await body(
                Fixture(
                    team: team, sprint: try await sprints.runningSprint(of: team.team.id), clock: clock,
                    service: service))
        }
    }
}
