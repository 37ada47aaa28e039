import Crypto
import Domain
import Foundation
import Ports
import Storage
import TestSupport
import Testing

@testable import Services

/// The demo data in a real store.
@Suite struct DemoDataTests {
    @Test func `A new store gets a team with two years of closed sprints`() async throws {
        try await Self.withDemo { demo in
            let records = try await demo.stores.sprints(of: demo.team.id, matching: .all)
            let past = records.dropLast()
            #expect(past.count >= 51)
            #expect(past.allSatisfy { $0.state.isClosed && $0.eligible != nil })
            #expect(zip(records, records.dropFirst()).allSatisfy { $0.sprint.end == $1.sprint.start })
        }
    }

    @Test func `Nothing below the threshold is published`() async throws {
        try await Self.withDemo { demo in
            let records = try await demo.stores.sprints(of: demo.team.id, matching: .all)
            let published = records.map(\.state.published.count)
            #expect(published.allSatisfy { $0 == 0 || $0 >= demo.team.settings.threshold })
            #expect(published.contains(0), "one sprint over Christmas shows what an unpublished one looks like")
        }
    }

    @Test func `The running sprint shows its first snapshot`() async throws {
        try await Self.withDemo { demo in
            let running = try #require(try await demo.stores.latestSprint(of: demo.team.id))
            #expect(running.sprint.start <= demo.now && demo.now < running.sprint.end)
            #expect(running.state.isClosed == false)
            #expect(running.state.current.count == 6)
            #expect(running.state.published.count == 3)
        }
    }

    @Test func `Everyone logs in with the printed password`() async throws {
        try await Self.withDemo { demo in
            for name in [demo.logIn.member, demo.logIn.lead] {
                let user = try #require(try await demo.stores.user(login: name))
                #expect(try await demo.hasher.verify(demo.logIn.password, against: user.passwordHash))
                #expect(!user.passwordIsHandedOut, "everyone shares it")
            }
        }
    }

    @Test func `The member to try first has not voted, and nobody is left logged in`() async throws {
        try await Self.withDemo { demo in
            let running = try #require(try await demo.stores.latestSprint(of: demo.team.id)).sprint
            let member = try #require(try await demo.stores.user(login: demo.logIn.member))
            let receipt = Receipt(secret: demo.secret, sprint: running.key, userID: member.id)
            #expect(try await demo.stores.ballots.contains(receipt) == false)
            for membership in try await demo.stores.members(of: demo.team.id) {
                #expect(try await demo.stores.sessions(of: membership.userID, at: demo.now).isEmpty)
            }
        }
    }

    /// 2026-06-22 is the first day of a sprint that ends on Sunday, 2026-07-05: the reminders are on Thursday and Friday.
    @Test(arguments: [
        ("2026-06-22T12:00:00Z", 0), ("2026-07-02T12:00:00Z", 0), ("2026-07-02T20:00:00Z", 1),
        ("2026-07-03T12:00:00Z", 1), ("2026-07-04T12:00:00Z", 2),
    ])
    func `Only reminders whose time is over count as sent, so that the first one goes out`(
        now: String, sent: Int
    ) async throws {
        try await Self.withDemo(at: now) { demo in
            let sprint = try #require(try await demo.stores.latestSprint(of: demo.team.id)).sprint
            let (teamID, key) = (demo.team.id, sprint.key)
            let settings = try await demo.stores.read { try $0.reminderSettings(of: teamID) }
            let earlier = try await demo.stores.read { try $0.reminders(of: key) }
            #expect(earlier.count == sent && earlier.allSatisfy { $0.state == .done && $0.begun < demo.now })
            let zone = demo.team.settings.zone
            let plan = ReminderPlan(sprint: sprint, zone: zone, settings: settings, earlier: earlier)
            #expect(plan.missed(at: demo.now).isEmpty)
            let occasions = ReminderCalendar(sprint: sprint, zone: zone, settings: settings).occasions
            #expect(occasions.count == 2)
            for occasion in occasions.dropFirst(sent) {
                let due = plan.due(at: occasion.window.lowerBound, absences: [])
                #expect(due.map(\.kind) == [occasion.kind.deliveryKind])
            }
        }
    }

    @Test func `The same day gives the same history`() throws {
        let now = try SprintTestData.instant("2026-06-15T12:00:00Z")
        func tallies() throws -> [Tally] {
            try DemoHistory(team: Team(name: "Any"), members: 9).sprints(before: now, years: 2)
                .map(\.record.state.current)
        }
        #expect(try tallies() == tallies())
    }

    /// The result of `create` and its arguments.
    private struct Demo {
        let stores: Stores
        let team: Team
        let logIn: DemoLogin
        let hasher: PasswordHasher
        let secret: BallotSecret
        let now: Date
    }

    private static func withDemo(
        at time: String = "2026-06-15T12:00:00Z", _ body: (Demo) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "demo-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let stores = try SQLiteStorage.open(path: folder.appending(path: "demo.sqlite").path())
        do {
            _ = try await stores.system.migrate()
            let now = try SprintTestData.instant(time)
            let hasher = try PasswordHasher(cost: PasswordHasher.costs.lowerBound)
            let secret = BallotSecret(key: .init(size: .bits256))
            let logIn = try await DemoData.create(
                in: stores, hasher: hasher, secret: secret, clock: WallClock { now })
            let team = try #require(try await stores.read { try $0.team(name: DemoData.teamName) })
            try await body(
                Demo(stores: stores, team: team, logIn: logIn, hasher: hasher, secret: secret, now: now))
            try await stores.system.close()
        } catch {
            try await stores.system.close()
            throw error
        }
    }
}
