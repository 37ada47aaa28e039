import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

@testable import Worker

/// The mails with a sprint's result, from the close to the mailbox.
@Suite struct ResultMailTests {
    /// Monday 2026-01-19, 09:00 UTC: the sprint that began on 2026-01-05 has ended, and the team's hour has come.
    private static let morning = end + 9 * 3_600
    private static let end = TestTeam.firstMonday + 14 * TestTeam.day

    /// A team whose members have voted these values, in tenths, in the sprint that began on 2026-01-05.
    private func team(
        _ worker: DeliveryWorker, votes: [Int] = [60, 70, 80], silent: Int = 0, readers: Team.FeedbackReaders = .team,
        feedback: String? = "The build takes too long: see www.evil.example"
    ) async throws -> TestTeam {
        let team = try await TestTeam.make(
            in: worker.stores, members: votes.count + silent,
            settings: TeamSettings(feedbackReaders: readers))
        let clock = WallClock { DeliveryWorker.window }
        let sprints = SprintService(stores: worker.stores, secret: TestTeam.secret, clock: clock)
        let sprint = try await sprints.runningSprint(of: team.team.id)
        let box = BallotBox(store: worker.stores.ballots, partitions: 1, clock: clock)
        for (member, tenths) in zip(team.members, votes) {
            let text = try feedback.flatMap { try FeedbackText($0) }
            _ = try await box.cast(team.ballot(of: member, in: sprint.key, tenths: tenths, feedback: text))
        }
        box.close()
        return team
    }

    private func subscribe(_ team: TestTeam, _ numbers: Int..., locale: String = "en") async throws {
        for number in numbers {
            try await team.stores.update(
                id: team.members[number].userID, UserUpdate(locale: locale, notifications: .init(results: true)))
        }
    }

    private func results(_ worker: DeliveryWorker) -> [MailgunSimulator.Mail] {
        worker.mailgun.mails.filter { $0["text"]?.contains("/sprints/") == true }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Members who want it get the result once, in the morning after`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await team(worker, silent: 1)
            try await subscribe(team, 0, 3)
            let action = Action(
                teamID: team.team.id, content: ActionContent(title: "Faster builds"), state: .inProgress,
                made: ActionSprint(start: TestTeam.firstMonday, label: SprintLabel(year: 2026, number: 1)),
                began: ActionSprint(start: TestTeam.firstMonday, label: SprintLabel(year: 2026, number: 1)))
            try await worker.stores.insert(action, at: .standard(in: .inProgress))
            try await worker.run(at: Self.end)
            #expect(results(worker).isEmpty, "not in the middle of the night")
            for hour in 0..<3 {
                try await worker.run(at: Self.morning + Double(hour) * 3_600)
                #expect(Set(results(worker).compactMap { $0["to"] }).count == 2)
                #expect(results(worker).count == 2)
            }
            let mail = try #require(results(worker).first)
            let name = team.team.name
            #expect(mail["subject"] == "\(name): 7.0 of 10, 5–18\u{a0}January")
            let text = mail["text"] ?? ""
            let words = try TextCatalog.original.words(in: .english)
            for part in [
                "The sprint of 5–18\u{a0}January is over.", "\(name) was 7.0 of 10.", "How do we know?",
                words.text("story.questionAction"), "75% took part.",
                words.text("live.answered", ["votes": "3", "people": "4"]),
                "5.2", "7.8", "Started in this sprint\n- Faster builds", "- The build takes too long",
                "\(MailSender.site)/teams/\(team.team.id)/sprints/2026/1\n",
            ] {
                #expect(text.contains(part), "\(part)")
            }
            #expect(!text.contains("www.evil.example"), "no text of another person becomes a link")
            #expect(mail["h:List-Unsubscribe"]?.contains("token=results.") == true)
            #expect(try await worker.stores.jobs.list(state: .dead, limit: 10).isEmpty)
        }
    }

    @Test func `Members who stop the mails or leave get none`() async throws {
        try await DeliveryWorker.with(.sqlite) { worker in
            let team = try await team(worker)
            try await subscribe(team, 0, 1, 2)
            try await worker.run(at: Self.end)
            let jobs = MailJobs(jobs: worker.stores.jobs, clock: WallClock { Self.morning })
            let key = Sprint.Key(teamID: team.team.id, start: TestTeam.firstMonday)
            for member in team.members {
                try await jobs.result(of: SprintPayload(key), to: member.userID, runAt: Self.morning)
            }
            let tokens = UnsubscribeTokens.test.token(ending: .results, of: team.members[0].userID)
            try await UnsubscribeService(store: worker.stores.rows, secret: Secrets.test.jwt).unsubscribe(tokens)
            try await worker.stores.remove(userID: team.members[1].userID, from: team.team.id)
            try await worker.run(at: Self.morning)
            #expect(results(worker).map { $0["to"] ?? "" } == ["\(team.members[2].userID)@example.org"])
        }
    }

    @Test func `Feedback for leads is mailed to leads only`() async throws {
        try await DeliveryWorker.with(.sqlite) { worker in
            let team = try await team(worker, readers: .leads)
            let lead = team.members[0].userID
            try await worker.stores.remove(userID: lead, from: team.team.id)
            try await worker.stores.add(Membership(teamID: team.team.id, userID: lead, role: .lead))
            try await subscribe(team, 0, 1, locale: "de")
            try await worker.run(at: Self.end)
            try await worker.run(at: Self.morning)
            #expect(results(worker).count == 2)
            for mail in results(worker) {
                let isLead = mail["to"]?.contains("\(lead)") == true
                #expect(mail["text"]?.contains("The build takes too long") == isLead)
                #expect(mail["text"]?.contains("lag bei 7,0 von 10.") == true)
            }
        }
    }

    @Test(arguments: [[60, 70], []])
    func `Without enough votes no mail is sent`(votes: [Int]) async throws {
        try await DeliveryWorker.with(.sqlite) { worker in
            let team = try await team(worker, votes: votes, silent: 2)
            try await subscribe(team, 0)
            try await worker.run(at: Self.end)
            try await worker.run(at: Self.morning)
            #expect(results(worker).isEmpty)
            let kinds = Set(try await worker.stores.jobs.list(state: nil, limit: 1_000).map(\.kind))
            #expect(!kinds.contains(MailJobs.resultsKind))
        }
    }

    @Test func `An early close is not visible in the time of the mails`() async throws {
        try await DeliveryWorker.with(.sqlite) { worker in
            let team = try await team(worker)
            try await subscribe(team, 0)
            let key = Sprint.Key(teamID: team.team.id, start: TestTeam.firstMonday)
            let closing = SprintClosing(stores: worker.stores, secret: TestTeam.secret)
            #expect(try await closing.closeIfEveryoneVoted(key))
            try await worker.run(at: TestTeam.firstMonday + 5 * TestTeam.day + 9 * 3_600)
            #expect(results(worker).isEmpty)
            try await worker.run(at: Self.morning)
            #expect(results(worker).count == 1)
        }
    }

    @Test func `An imported result is not mailed`() async throws {
        try await DeliveryWorker.with(.sqlite) { worker in
            let team = try await TestTeam.make(in: worker.stores, members: 3)
            try await subscribe(team, 0)
            let file = try HistoryFile("start,end,happiness,votes,eligible\n2026-01-05,2026-01-18,7.5,6,9")
            let history = HistoryImport(stores: worker.stores, clock: WallClock { Self.morning })
            #expect(try await history.add(file, to: team.team.id, replacing: false) == 0)
            try await worker.run(at: Self.morning)
            #expect(results(worker).isEmpty)
        }
    }

    @Test func `A comparison with an imported result says so`() async throws {
        try await DeliveryWorker.with(.sqlite) { worker in
            let team = try await team(worker)
            try await subscribe(team, 0)
            let file = try HistoryFile("start,end,happiness,votes,eligible\n2025-12-22,2026-01-04,7.5,6,9")
            let history = HistoryImport(stores: worker.stores, clock: WallClock { Self.morning })
            #expect(try await history.add(file, to: team.team.id, replacing: false) == 0)
            try await worker.run(at: Self.end)
            try await worker.run(at: Self.morning)
            let mail = try #require(results(worker).first)
            let words = try TextCatalog.original.words(in: .english)
            #expect(mail["text"]?.contains(words.text("live.beforeImported")) == true)
        }
    }

    @Test func `A result is not mailed a day late`() async throws {
        try await DeliveryWorker.with(.sqlite) { worker in
            let team = try await team(worker)
            try await subscribe(team, 0)
            try await worker.run(at: Self.end)
            try await worker.run(at: Self.morning + PlanResultMails.patience)
            #expect(results(worker).isEmpty)
        }
    }

    /// In Vienna, a sprint ends at 23:00 UTC; with a grace period the mails wait for its end.
    @Test(arguments: [(0, 9, 9), (3_600, 0, 24), (86_400, 9, 33)] as [(TimeInterval, Int, Double)])
    func `The mails wait for the team's hour`(grace: TimeInterval, hour: Int, expected: Double) throws {
        let zone = try #require(TimeZone(identifier: "Europe/Vienna"))
        let end = Self.end - 3_600
        let sprint = Sprint(
            teamID: .random(), start: end - 14 * TestTeam.day, end: end, closes: end + grace,
            label: SprintLabel(year: 2026, number: 1), threshold: 3, policy: .live)
        let window = PlanResultMails.window(of: sprint, zone: zone, hour: hour)
        #expect(window.lowerBound == end + expected * 3_600)
        #expect(window.upperBound == window.lowerBound + TestTeam.day)
    }
}
