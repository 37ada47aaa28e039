import Foundation
import Services
import Storage
import TestSupport
import Testing

@testable import Domain

/// Who may create experiments, and how they end.
@Suite struct ExperimentServiceTests {
    private func withTeam(
        _ store: StoreUnderTest, _ body: (Stores, ExperimentService, SettableClock, Team) async throws -> Void
    ) async throws {
        try await store.withStores { stores in
            let made = try await TestTeam.make(
                in: stores, members: 1, settings: TeamSettings(timeZone: "Europe/Vienna"))
            let clock = SettableClock(TestTeam.firstMonday + TestTeam.day / 2)
            try await body(stores, ExperimentService(stores: stores, clock: clock.wall), clock, made.team)
        }
    }

    private func experiment(of teamID: Team.ID, _ first: String, _ last: String) throws -> ReminderExperiment {
        ReminderExperiment(
            teamID: teamID, kind: .second, first: try #require(CalendarDay(first)),
            last: try #require(CalendarDay(last)), wordings: [.b: [.german: ReminderText(title: " Servus ")]])
    }

    private func user(
        _ role: User.Role, in teamID: Team.ID? = nil, as teamRole: Membership.Role = .member, _ stores: Stores
    ) async throws -> Caller {
        let id = User.ID.random()
        let user = User(id: id, name: try UserName("u\(id)"), email: try EmailAddress("\(id)@example.org"), role: role)
        try await stores.insert(user)
        if let teamID { try await stores.add(Membership(teamID: teamID, userID: id, role: teamRole)) }
        return .user(id)
    }

    @Test(arguments: StoreUnderTest.all)
    func `Leads and admins may, members may not, and strangers find no team`(store: StoreUnderTest) async throws {
        try await withTeam(store) { stores, service, _, team in
            let kept = try await service.add(
                try experiment(of: team.id, "2026-02-01", "2026-02-28"), by: .operator)
            let callers: [(Caller, AppError.Code?)] = [
                (.operator, nil), (try await user(.member, in: team.id, as: .lead, stores), nil),
                (try await user(.admin, stores), nil), (try await user(.member, in: team.id, stores), .forbidden),
                (try await user(.member, stores), .notFound),
            ]
            for (number, (caller, code)) in callers.enumerated() {
                let day = CalendarDay(dayNumber: kept.last.dayNumber + 1 + number).description
                let refusals = [
                    try await rejection { _ = try await service.list(of: team.id, by: caller) },
                    try await rejection { _ = try await service.find(kept.id, of: team.id, by: caller) },
                    try await rejection {
                        let new = try await service.add(try experiment(of: team.id, day, day), by: caller)
                        try await service.end(new.id, of: team.id, by: caller)
                    },
                ]
                #expect(refusals.map { $0?.code } == [code, code, code])
            }
            #expect(try await service.list(of: team.id, by: .operator) == [kept])
            let refused = try await rejection {
                try await service.end(kept.id, of: team.id, by: try await user(.member, in: team.id, stores))
            }
            #expect(refused?.code == .forbidden)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A user who manages the team without being in it gets no report`(store: StoreUnderTest) async throws {
        try await withTeam(store) { stores, service, _, team in
            let kept = try await service.add(
                try experiment(of: team.id, "2026-02-01", "2026-02-28"), by: .operator)
            let callers: [(Caller, Bool)] = [
                (try await user(.member, in: team.id, as: .lead, stores), true),
                (try await user(.admin, in: team.id, stores), true), (try await user(.admin, stores), false),
                (.operator, false),
            ]
            for (caller, isInTeam) in callers {
                let found = try await service.find(kept.id, of: team.id, by: caller)
                #expect(found.experiment == kept && (found.report != nil) == isInTeam)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Another team's experiment is not found`(store: StoreUnderTest) async throws {
        try await withTeam(store) { stores, service, _, team in
            let other = try await TestTeam.make(in: stores, members: 0).team
            let theirs = try await service.add(
                try experiment(of: other.id, "2026-02-01", "2026-02-28"), by: .operator)
            let lead = try await user(.member, in: team.id, as: .lead, stores)
            for id in [theirs.id, .random()] {
                let reading = try await rejection { _ = try await service.find(id, of: team.id, by: lead) }
                let ending = try await rejection { try await service.end(id, of: team.id, by: lead) }
                #expect(reading?.code == .notFound && ending?.code == .notFound)
            }
            #expect(try await service.list(of: other.id, by: .operator) == [theirs])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Texts are trimmed, and periods may not overlap`(store: StoreUnderTest) async throws {
        try await withTeam(store) { stores, service, _, team in
            let added = try await service.add(
                try experiment(of: team.id, "2026-02-10", "2026-02-20"), by: .operator)
            #expect(added.wordings == [.b: [.german: ReminderText(title: "Servus")]])
            for (first, last) in [("2026-02-20", "2026-03-01"), ("2026-02-01", "2026-02-10")] {
                let refused = try await rejection {
                    _ = try await service.add(try experiment(of: team.id, first, last), by: .operator)
                }
                #expect(refused?.reason == .experimentsOverlap)
            }
            let later = try await service.add(
                try experiment(of: team.id, "2026-02-21", "2026-02-21"), by: .operator)
            #expect(try await service.list(of: team.id, by: .operator) == [later, added])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An experiment ends yesterday, and one without a yesterday is removed`(store: StoreUnderTest) async throws {
        try await withTeam(store) { stores, service, clock, team in
            let added = try await service.add(
                try experiment(of: team.id, "2026-01-10", "2026-02-20"), by: .operator)
            let ahead = try await service.add(
                try experiment(of: team.id, "2026-03-01", "2026-03-20"), by: .operator)
            try await service.end(ahead.id, of: team.id, by: .operator)
            #expect(try await service.list(of: team.id, by: .operator) == [added])
            // 23:30 of 14 January UTC is the 15th in Vienna.
            clock.now = TestTeam.firstMonday + 9 * TestTeam.day + 23.5 * 3_600
            try await service.end(added.id, of: team.id, by: .operator)
            let ended = try await service.find(added.id, of: team.id, by: .operator).experiment
            #expect(ended.last == CalendarDay("2026-01-14") && ended.first == added.first)
            clock.advance(by: 5 * TestTeam.day)
            try await service.end(added.id, of: team.id, by: .operator)
            #expect(try await service.find(added.id, of: team.id, by: .operator).experiment == ended)
            // The days it released are free.
            _ = try await service.add(try experiment(of: team.id, "2026-02-01", "2026-02-20"), by: .operator)
        }
    }

    @Test func `No more than a few experiments lie ahead`() async throws {
        try await withTeam(.sqlite) { stores, service, _, team in
            for day in 10..<(10 + ExperimentService.maximumAhead) {
                _ = try await service.add(
                    try experiment(of: team.id, "2026-02-\(day)", "2026-02-\(day)"), by: .operator)
            }
            let refused = try await rejection {
                _ = try await service.add(try experiment(of: team.id, "2026-02-01", "2026-02-01"), by: .operator)
            }
            #expect(refused?.code == .unprocessable)
        }
    }
}
