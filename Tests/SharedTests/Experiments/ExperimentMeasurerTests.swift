import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

/// When an experiment is measured, and when its result is withheld.
@Suite struct ExperimentMeasurerTests {
    /// Runs `body` with a team of 40, at least 13 on each side.
    private func withTeam(
        _ store: StoreUnderTest, settings: TeamSettings = TeamSettings(), sent: Delivery.State? = .done,
        _ body: (ExperimentTeam) async throws -> Void
    ) async throws {
        try await store.withStores { stores in
            try await body(try await ExperimentTeam.make(in: stores, settings: settings, sent: sent))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A sprint is measured at its close and not before`(store: StoreUnderTest) async throws {
        try await withTeam(store) { team in
            try await team.vote(a: 4, b: 3)
            try await team.look()
            #expect(try await team.result() == nil)
            #expect(try await team.report(at: TestTeam.firstMonday + 3_600).sprints.isEmpty)
            try await team.measure()
            let expected = team.counts(a: 4, b: 3)
            #expect(try await team.result() == .measured(expected))
            let report = try await team.report()
            #expect(report.sprints.map(\.result) == [.measured(expected)] && report.counts == expected)
            // Their sum is what all members can read.
            let record = try #require(try await team.stores.sprint(team.sprint.key))
            #expect(record.state.published.count == 7 && record.eligible == 40)
            #expect(try await team.stores.read { try $0.notedMembers(in: team.key) }.values.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A sprint is measured once, and later changes of the team do not affect it`(
        store: StoreUnderTest
    ) async throws {
        try await withTeam(store) { team in
            try await team.vote(a: 3, b: 5)
            try await team.look()
            try await team.measure()
            let report = try await team.report()
            #expect(report.counts == team.counts(a: 3, b: 5))
            for member in team.made.members.prefix(12) {
                try await team.stores.remove(userID: member.userID, from: team.made.team.id)
            }
            for _ in 0..<3 { try await TestTeam.addMember(to: team.made.team.id, in: team.stores) }
            for days in [0, 1, 13, 40] {
                let now = ExperimentTeam.afterClose + Double(days) * TestTeam.day
                try await team.measure(at: now)
                #expect(try await team.report(at: now) == report)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An imported sprint is not part of an experiment`(store: StoreUnderTest) async throws {
        try await withTeam(store) { team in
            let later = TestTeam.firstMonday + 30 * TestTeam.day
            let file = try HistoryFile("start,end,happiness,votes,eligible\n2026-01-19,2026-02-01,7.5,6,9")
            let history = HistoryImport(stores: team.stores, clock: WallClock { later })
            #expect(try await history.add(file, to: team.made.team.id, replacing: false) == 0)
            try await team.measure(at: later)
            let results = try await team.stores.read { try $0.experimentResults(of: team.experiment.id) }
            #expect(results.count == 1 && results[team.sprint.start] != nil)
            #expect(try await team.report(at: later).sprints.count == 1)
        }
    }

    @Test(
        arguments: StoreUnderTest.all,
        [(2, 5), (5, 2), (0, 0), (3, 3)])
    func `Below the threshold on either side, no number is kept`(
        store: StoreUnderTest, votes: (Int, Int)
    ) async throws {
        try await withTeam(store) { team in
            try await team.vote(a: votes.0, b: votes.1)
            try await team.look()
            // A raised threshold applies too.
            var settings = team.made.team.settings
            settings.threshold = votes == (3, 3) ? 4 : 3
            try await team.stores.updateSettings(id: team.made.team.id, settings)
            try await team.measure()
            #expect(try await team.result() == .withheld)
            let report = try await team.report()
            #expect(report.verdict == .tooFew && report.counts == ExperimentCounts() && report.difference == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `When too few of a side did not vote, no number is kept`(store: StoreUnderTest) async throws {
        try await withTeam(store) { team in
            try await team.vote(a: team.members(on: .a).count - 2, b: 4)
            try await team.look()
            try await team.measure()
            #expect(try await team.result() == .withheld)
        }
    }

    @Test(arguments: StoreUnderTest.all, [true, false])
    func `Removing a member does not reveal whether they had voted`(
        store: StoreUnderTest, hadVoted: Bool
    ) async throws {
        try await withTeam(store) { team in
            try await team.vote(a: 5, b: 5)
            try await team.look()
            let members = team.members(on: .a)
            let removed = try #require(hadVoted ? members.first : members.last)
            try await team.stores.remove(userID: removed.userID, from: team.made.team.id)
            try await team.measure()
            #expect(try await team.result() == .withheld)
        }
    }

    /// They cannot hide others among those who did not vote.
    @Test(arguments: StoreUnderTest.all)
    func `If members share a mailbox, no number is kept`(store: StoreUnderTest) async throws {
        try await withTeam(store) { team in
            // As in an installation that took them for two mailboxes until now.
            let before = BallotSecret(key: TestTeam.secret.key, subaddressing: try Subaddressing(setting: "none"))
            let pair = [try #require(team.members(on: .a).last), try #require(team.members(on: .b).last)]
            for (member, address) in zip(pair, ["carl@example.org", "carl+x@example.org"]) {
                try await team.stores.update(
                    id: member.userID, UserUpdate(email: UserUpdate.NewEmail(address, secret: before)))
            }
            try await team.vote(a: 5, b: 5)
            try await team.look()
            try await team.measure()
            #expect(try await team.result() == .withheld)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A sprint that nobody looked at while it ran is withheld`(store: StoreUnderTest) async throws {
        try await withTeam(store) { team in
            try await team.vote(a: 5, b: 5)
            try await team.measure()
            #expect(try await team.result() == .withheld)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Ballots that stay unpublished do not show in the sum`(store: StoreUnderTest) async throws {
        try await withTeam(store) { team in
            // Nine are published; then a higher threshold withholds the other three.
            try await team.vote(a: 6, b: 6)
            try await team.look()
            var settings = team.made.team.settings
            settings.threshold = 4
            try await team.stores.updateSettings(id: team.made.team.id, settings)
            try await team.measure()
            let state = try #require(try await team.stores.sprint(team.sprint.key)?.state)
            #expect(state.isClosed && state.published.count < state.current.count)
            #expect(try await team.result() == .withheld)
        }
    }

    @Test(arguments: StoreUnderTest.all, [nil, Delivery.State.skipped])
    func `A sprint whose reminder was not sent is not part of it`(
        store: StoreUnderTest, sent: Delivery.State?
    ) async throws {
        try await withTeam(store, sent: sent) { team in
            try await team.vote(a: 4, b: 4)
            try await team.look()
            try await team.measure()
            #expect(try await team.result() == .missed)
            #expect(try await team.report().sprints.isEmpty)
            #expect(try await team.stores.read { try $0.notedMembers(in: team.key) }.values.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A sprint whose reminder is still being sent at the close is not measured`(
        store: StoreUnderTest
    ) async throws {
        try await withTeam(store, sent: .sending) { team in
            try await team.vote(a: 4, b: 4)
            try await team.look()
            try await team.measure()
            #expect(try await team.report().sprints.map(\.result) == [.missed])
            #expect(try await team.result() == .missed)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A sprint that was cleared without a count is reported as missed`(store: StoreUnderTest) async throws {
        try await withTeam(store) { team in
            try await team.vote(a: 4, b: 4)
            _ = try await team.stores.ballots.close(team.sprint.key)
            #expect(try await team.report().sprints.map(\.result) == [nil])
            try await team.stores.ballots.clear(team.sprint.key, secret: TestTeam.secret)
            #expect(try await team.report().sprints.map(\.result) == [.missed])
            try await team.measure()
            #expect(try await team.result() == .missed)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Reminders after the last day leave their sprint out`(store: StoreUnderTest) async throws {
        try await withTeam(store) { team in
            try await team.vote(a: 4, b: 4)
            try await team.look()
            let tuesday = team.experiment.first.adding(days: 1)
            _ = try await team.stores.insert(
                Delivery(
                    occasion: .init(sprint: team.sprint.key, kind: .reminder, day: tuesday.adding(days: 1)),
                    state: .done, begun: team.sprint.start))
            try await team.stores.write { try $0.shortenExperiment(team.experiment.id, to: tuesday) }
            try await team.measure()
            #expect(try await team.report().sprints.isEmpty)
        }
    }
}

extension ExperimentTeam {
    fileprivate var key: ExperimentSprint { ExperimentSprint(experimentID: experiment.id, start: sprint.start) }
}
