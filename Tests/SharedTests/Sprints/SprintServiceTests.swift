import Domain
import Foundation
import Storage
import TestSupport
import Testing

@testable import Services

/// Which sprint is running, on a real SQLite store with a clock that the test sets.
@Suite struct SprintServiceTests {
    @Test func `The first user to ask starts the sprint of the team's calendar`() async throws {
        try await Self.withTeam(members: 6) { fixture in
            let sprint = try await fixture.running()
            #expect(sprint.label.description == "2026/1")
            #expect(sprint.start == TestTeam.firstMonday)
            #expect(sprint.end == TestTeam.firstMonday + 14 * TestTeam.day)
            #expect(sprint.threshold == 3 && sprint.policy == .live)
        }
    }

    @Test func `Fifty users who ask at once start one sprint`() async throws {
        try await Self.withTeam { fixture in
            let starts = try await withThrowingTaskGroup { group in
                for _ in 0..<50 {
                    // One service each, like fifty processes.
                    group.addTask { try await fixture.anotherService().runningSprint(of: fixture.teamID) }
                }
                return try await group.reduce(into: Set<Sprint>()) { $0.insert($1) }
            }
            #expect(starts.count == 1)
            #expect(try await fixture.all().count == 1)
        }
    }

    @Test func `At the end, the next sprint starts and the old one closes without a worker`() async throws {
        try await Self.withTeam(members: 5) { fixture in
            let first = try await fixture.running()
            _ = try await fixture.cast(4, in: first)
            fixture.clock.now = first.end - 0.001
            #expect(try await fixture.running() == first)
            fixture.clock.now = first.end
            let second = try await fixture.running()
            #expect(second.start == first.end && second.label.description == "2026/2")
            let closed = try #require(try await fixture.stores.sprint(first.key))
            #expect(closed.state.isClosed)
            #expect(closed.state.published.count == 4)
            #expect(closed.eligible == 5)
        }
    }

    @Test func `A team that was inactive for months continues with the current sprint`() async throws {
        try await Self.withTeam { fixture in
            let first = try await fixture.running()
            fixture.clock.advance(by: 100 * TestTeam.day)
            let later = try await fixture.running()
            #expect((later.start..<later.end).contains(fixture.clock.now))
            #expect(try await fixture.all().count == 2)
            #expect(try await fixture.stores.sprint(first.key)?.state.isClosed == true)
        }
    }

    @Test func `A slow clock accepts the sprint another process has started`() async throws {
        try await Self.withTeam { fixture in
            _ = try await fixture.running()
            fixture.clock.advance(by: 14 * TestTeam.day)
            let second = try await fixture.running()
            let behind = SprintService(
                stores: fixture.stores, secret: TestTeam.secret, clock: SettableClock(second.start - 1).wall)
            #expect(try await behind.runningSprint(of: fixture.teamID) == second)
            #expect(try await behind.runningSprint(of: fixture.teamID) == second)
            #expect(try await fixture.all().count == 2, "no sprint was started ahead of its time")
        }
    }

    /// Number of members when the sprint starts, and its policy in a team that has chosen `live`.
    @Test(arguments: [(5, PublicationPolicy.close), (6, .live)])
    func `A team without two groups of members sees its sprint at the end, however many join later`(
        members: Int, policy: PublicationPolicy
    ) async throws {
        try await Self.withTeam(members: members) { fixture in
            let sprint = try await fixture.running()
            #expect(sprint.policy == policy)
            try await TestTeam.addMember(to: fixture.teamID, in: fixture.stores)
            #expect(try await fixture.anotherService().runningSprint(of: fixture.teamID) == sprint)
            fixture.clock.now = sprint.end
            #expect(try await fixture.running().policy == .live)
            #expect(try await fixture.stores.team(fixture.teamID)?.settings.policy == .live, "the choice is kept")
        }
    }

    @Test func `Changed settings apply from the next sprint, and a raised threshold at once`() async throws {
        try await Self.withTeam(members: 6) { fixture in
            let first = try await fixture.running()
            var settings = TeamSettings(threshold: 5, policy: .close, graceDays: 2)
            settings.calendar = try #require(SprintCalendar("cadence:2026-01-05:1"))
            try await fixture.stores.updateSettings(id: fixture.teamID, settings)
            fixture.service.forget(fixture.teamID)

            let same = try await fixture.running()
            #expect(same.key == first.key && same.end == first.end && same.closes == first.closes)
            #expect(same.policy == .live)
            #expect(same.threshold == 5)

            fixture.clock.now = first.end
            let next = try await fixture.running()
            #expect(next.start == first.end)
            #expect(next.end == first.end + 7 * TestTeam.day)
            #expect(next.policy == .close && next.closes == next.end + 2 * TestTeam.day)
        }
    }

    @Test func `The previous sprint stays open through its grace period`() async throws {
        try await Self.withTeam(settings: TeamSettings(graceDays: 2)) { fixture in
            let first = try await fixture.running()
            #expect(try await fixture.open() == [first])
            fixture.clock.now = first.end + TestTeam.day
            let second = try await fixture.running()
            #expect(try await fixture.open() == [first, second])
            fixture.clock.now = first.closes
            #expect(try await fixture.open() == [second])
        }
    }

    /// The following week is an hour shorter (clocks in Vienna, March 2027) or longer (October). If days had 24 hours,
    /// the sprint's grace period would end in the sprint after the next, where no one looks for it.
    @Test(arguments: ["2027-03-21T23:30:00Z", "2027-10-24T22:30:00Z"])
    func `A week of grace ends with the next week, even where clocks change`(lastDay: String) throws {
        let settings = TeamSettings(
            calendar: try #require(SprintCalendar("cadence:2026-01-05:1")), timeZone: "Europe/Vienna", graceDays: 7)
        let team = Team(name: "Blue", settings: settings)
        let before = try Date(lastDay, strategy: .iso8601) - TestTeam.day
        let sprint = SprintService.next(of: team, after: nil, at: before)
        let next = SprintService.next(of: team, after: sprint, at: sprint.end)
        #expect(next.start == sprint.end && next.end.timeIntervalSince(next.start) != 7 * TestTeam.day)
        #expect(sprint.closes == next.end)
    }

    @Test func `A sprint is closed by the first reader after its grace period`() async throws {
        try await Self.withTeam(members: 5, settings: TeamSettings(graceDays: 2)) { fixture in
            let first = try await fixture.running()
            _ = try await fixture.cast(4, in: first)
            fixture.clock.now = first.end
            let second = try await fixture.running()
            #expect(try await fixture.stores.sprint(first.key)?.state.isClosed == false)
            fixture.clock.now = first.closes
            #expect(try await fixture.running() == second)
            #expect(try await fixture.stores.sprint(first.key)?.state.isClosed == true)
        }
    }

    @Test func `The sprint closes at once when every member has voted`() async throws {
        try await Self.withTeam(members: 4) { fixture in
            let sprint = try await fixture.running()
            #expect(try await fixture.cast(3, in: sprint).last == .counted(mayComplete: false))
            #expect(try await fixture.service.closeIfEveryoneVoted(sprint.key) == false)
            #expect(try await fixture.cast(1, from: 3, in: sprint) == [.counted(mayComplete: true)])
            #expect(try await fixture.service.closeIfEveryoneVoted(sprint.key))
            let record = try #require(try await fixture.stores.sprint(sprint.key))
            #expect(record.state.isClosed && record.state.published.count == 4 && record.eligible == 4)
            #expect(try await fixture.service.closeIfEveryoneVoted(sprint.key) == false, "only once")
        }
    }

    /// Closing it early would reveal that both have voted: a count below k.
    @Test(arguments: [PublicationPolicy.live, .close])
    func `It stays open when all ballots are fewer than may be published`(policy: PublicationPolicy) async throws {
        try await Self.withTeam(members: 2, settings: TeamSettings(threshold: 3, policy: policy)) { fixture in
            let sprint = try await fixture.running()
            #expect(try await fixture.cast(2, in: sprint).last == .counted(mayComplete: true))
            #expect(try await fixture.service.closeIfEveryoneVoted(sprint.key) == false)
            #expect(try await fixture.stores.sprint(sprint.key)?.state.isClosed == false)
        }
    }

    @Test func `It stays open when someone joined who has not voted`() async throws {
        try await Self.withTeam(members: 4) { fixture in
            let sprint = try await fixture.running()
            _ = try await fixture.cast(4, in: sprint)
            try await TestTeam.addMember(to: fixture.teamID, in: fixture.stores)
            #expect(try await fixture.service.closeIfEveryoneVoted(sprint.key) == false)
        }
    }

    /// A change of the time zone can leave three sprints open; without a worker nothing else closes them.
    @Test func `Every overdue sprint is closed, however many there are`() async throws {
        try await Self.withTeam(members: 1) { fixture in
            for number in 1...4 {
                let start = TestTeam.firstMonday + Double(number) * 14 * TestTeam.day
                _ = try await fixture.stores.start(
                    Sprint(
                        teamID: fixture.teamID, start: start, end: start + 14 * TestTeam.day,
                        closes: TestTeam.firstMonday + 100 * TestTeam.day,
                        label: SprintLabel(year: 2026, number: number),
                        threshold: 3, policy: .live))
            }
            fixture.clock.now = TestTeam.firstMonday + 101 * TestTeam.day
            _ = try await fixture.running()
            let records = try await fixture.all()
            #expect(records.count == 5)
            #expect(records.dropLast().allSatisfy { $0.state.isClosed && $0.isCleared })
        }
    }

    /// A process that was killed right after the close leaves receipts, and texts in the order of arrival.
    @Test func `An interrupted close is finished by the next reader`() async throws {
        try await Self.withTeam(members: 4) { fixture in
            let sprint = try await fixture.running()
            _ = try await fixture.cast(3, in: sprint)
            #expect(try await fixture.stores.ballots.close(sprint.key))
            let receipt = fixture.team.receipt(of: fixture.team.members[0], in: sprint.key)
            #expect(try await fixture.stores.ballots.contains(receipt))
            fixture.service.forget(fixture.teamID)
            _ = try await fixture.running()
            #expect(try await fixture.stores.ballots.contains(receipt) == false)
            #expect(try await fixture.stores.sprint(sprint.key)?.isCleared == true)
        }
    }

    /// Otherwise the first members of a new team would exclude those who accept their invitation an hour later.
    @Test func `It stays open while someone is invited`() async throws {
        try await Self.withTeam(members: 4) { fixture in
            let sprint = try await fixture.running()
            let invitation = Invitation(
                email: "late@example.org", role: .member, teamID: fixture.teamID, teamRole: .member, locale: "en",
                inviterID: nil, sent: try #require(CalendarDay("2026-01-08")))
            try await fixture.stores.insert(invitation)
            _ = try await fixture.cast(4, in: sprint)
            #expect(try await fixture.service.closeIfEveryoneVoted(sprint.key) == false)
            #expect(try await fixture.stores.write { try $0.deleteInvitation(invitation.id) })
            #expect(try await fixture.service.closeIfEveryoneVoted(sprint.key))
        }
    }

    /// As many ballots as members, but one is from a former member, so one member has not voted yet.
    @Test func `A former member's ballot does not stand in for a member's`() async throws {
        try await Self.withTeam(members: 4) { fixture in
            let sprint = try await fixture.running()
            _ = try await fixture.cast(3, in: sprint)
            try await fixture.stores.remove(userID: fixture.team.members[0].userID, from: fixture.teamID)
            #expect(try await fixture.service.closeIfEveryoneVoted(sprint.key) == false)
            #expect(try await fixture.stores.sprint(sprint.key)?.state.isClosed == false)
        }
    }

    @Test func `A team that does not exist has no sprint`() async throws {
        try await Self.withTeam { fixture in
            let error = await #expect(throws: AppError.self) {
                try await fixture.service.runningSprint(of: .random())
            }
            #expect(error?.code == .notFound)
        }
    }

    private struct Fixture: Sendable {
        let team: TestTeam
        let clock: SettableClock
        let service: SprintService

        var stores: Stores { team.stores }
        var teamID: Team.ID { team.team.id }

        func running() async throws -> Sprint { try await service.runningSprint(of: teamID) }
        func open() async throws -> [Sprint] { try await service.openSprints(of: teamID) }
        func all() async throws -> [SprintRecord] { try await stores.sprints(of: teamID, matching: .all) }

        func anotherService() -> SprintService {
            SprintService(stores: stores, secret: TestTeam.secret, clock: clock.wall)
        }

        /// The members from `first` on vote, one after another.
        func cast(_ count: Int, from first: Int = 0, in sprint: Sprint) async throws -> [BallotOutcome] {
            let box = BallotBox(store: stores.ballots, partitions: 1, clock: clock.wall)
            defer { box.close() }
            var outcomes: [BallotOutcome] = []
            for member in team.members[first..<first + count] {
                outcomes.append(try await box.cast(try team.ballot(of: member, in: sprint.key)))
            }
            return outcomes
        }
    }

    private static func withTeam(
        members: Int = 1, settings: TeamSettings = TeamSettings(), _ body: (Fixture) async throws -> Void
    ) async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let team = try await TestTeam.make(in: stores, members: members, settings: settings)
            let clock = SettableClock(TestTeam.firstMonday + 3 * TestTeam.day)
            let service = SprintService(stores: stores, secret: TestTeam.secret, clock: clock.wall)
            try await body(Fixture(team: team, clock: clock, service: service))
        }
    }
}
