import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

@testable import Worker

/// Experiments with the wording of reminders, from the plan to devices and mailboxes, and the measurement.
@Suite struct ExperimentDeliveryTests {
    private static let monday = CalendarDay(instant: DeliveryWorker.window, in: .gmt)

    private func experiment(
        of team: Team, kind: ReminderOccasion.Kind = .first, first: CalendarDay = monday, last: CalendarDay? = nil
    ) -> ReminderExperiment {
        ReminderExperiment(
            teamID: team.id, kind: kind, first: first, last: last ?? first.adding(days: 30),
            wordings: [
                .a: [.english: ReminderText(title: "Wording A"), .german: ReminderText(title: "Fassung A")],
                .b: [.english: ReminderText(title: "Wording B"), .german: ReminderText(title: "Fassung B")],
            ])
    }

    /// The titles that reached each user's devices.
    private func titles(_ worker: DeliveryWorker) -> [User.ID: Set<String>] {
        worker.fcm.messages.reduce(into: [:]) { titles, message in
            guard let id = User.ID(String(message.token.prefix(32))) else { return }
            titles[id, default: []].insert(message["notification", "title"] ?? "")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Everyone gets their side's wording on every device and by mail`(store: StoreUnderTest) async throws {
        let log = CapturedLog()
        try await DeliveryWorker.with(store, logger: log.logger) { worker in
            let team = try await worker.addTeam()
            let experiment = experiment(of: team)
            try await worker.stores.insert(experiment)
            let sides = ExperimentSides(secret: TestTeam.secret)
            var users: [User] = []
            // Until both wordings occur both by message and by mail: every second user has devices.
            var kinds: Set<[Bool]> = []
            while kinds.count < 4 {
                users.append(try await worker.addMember(to: team, devices: users.count.isMultiple(of: 2) ? 2 : 0))
                let isA = users.last.map { sides.side(of: $0.id, in: experiment.id) == .a } ?? false
                kinds.insert([users.count.isMultiple(of: 2), isA])
            }
            try await worker.run()
            let titles = titles(worker)
            for (number, user) in users.enumerated() {
                let side = sides.side(of: user.id, in: experiment.id).rawValue.uppercased()
                if number.isMultiple(of: 2) {
                    // The second device is German.
                    #expect(titles[user.id] == ["Wording \(side)", "Fassung \(side)"])
                } else {
                    let mail = worker.mailgun.mails.first { $0["to"]?.contains("\(user.id)@") == true }
                    #expect(mail?["text"]?.contains("Wording \(side)") == true)
                }
            }
            // The log reveals neither a side nor that there are any.
            let words = ["Wording", "Fassung", "Side.", "side\"", experiment.id.description]
            let telling = log.lines.filter { line in words.contains { line.contains($0) } }
            #expect(telling.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Outside the experiment, everyone gets the team's own texts`(store: StoreUnderTest) async throws {
        for change in 0..<4 {
            try await DeliveryWorker.with(store) { worker in
                let team = try await worker.addTeam()
                let user = try await worker.addMember(to: team, devices: 1)
                switch change {
                case 0:  // The experiment is about the other reminder.
                    try await worker.stores.insert(experiment(of: team, kind: .second))
                case 1:  // The sprint started before.
                    let tuesday = Self.monday.adding(days: 1)
                    try await worker.stores.insert(experiment(of: team, first: tuesday))
                    try await worker.stores.replaceAbsences(
                        of: user.id, by: [Absence(first: Self.monday, last: Self.monday)])
                    try await worker.run(at: DeliveryWorker.window + TestTeam.day)
                case 2:  // It ended before this member's reminder was sent.
                    try await worker.stores.insert(experiment(of: team, last: Self.monday))
                    try await worker.stores.replaceAbsences(
                        of: user.id, by: [Absence(first: Self.monday, last: Self.monday)])
                    try await worker.run(at: DeliveryWorker.window + TestTeam.day)
                default:  // It belongs to another team.
                    try await worker.stores.insert(experiment(of: try await worker.addTeam("Other")))
                }
                if worker.fcm.messages.isEmpty { try await worker.run() }
                #expect(titles(worker) == [user.id: ["How happy are you?"]])
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A test reminder tells nobody their side`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let lead = try await worker.addMember(to: team, devices: 1)
            try await worker.stores.insert(experiment(of: team))
            let clock = WallClock { DeliveryWorker.window }
            let sprints = SprintService(stores: worker.stores, secret: TestTeam.secret, clock: clock)
            let sprint = try await sprints.runningSprint(of: team.id)
            let delivery = Delivery(
                occasion: .init(sprint: sprint.key, kind: .test, day: Self.monday), begun: DeliveryWorker.window,
                requestedBy: lead.id)
            _ = try await worker.stores.insert(delivery)
            // An hour before the reminder itself.
            try await worker.run(at: DeliveryWorker.window - 3_600)
            #expect(titles(worker) == [lead.id: ["How happy are you?"]])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The worker alone leads from the reminder to the report`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let experiment = experiment(of: team)
            try await worker.stores.insert(experiment)
            let sides = ExperimentSides(secret: TestTeam.secret)
            var users: [ReminderExperiment.Side: [User]] = [:]
            while ReminderExperiment.Side.allCases.contains(where: { (users[$0] ?? []).count < 8 }) {
                let user = try await worker.addMember(to: team)
                users[sides.side(of: user.id, in: experiment.id), default: []].append(user)
            }
            for user in (users[.a] ?? []).prefix(5) + (users[.b] ?? []).prefix(3) {
                try await worker.vote(user, in: team)
            }
            try await worker.run()
            // Sprint and worker end; the next run closes the sprint and measures.
            let later = TestTeam.firstMonday + 14 * TestTeam.day + 60
            try await worker.run(at: later)
            let service = ExperimentService(stores: worker.stores, clock: WallClock { later })
            let lead = try #require(users[.a]?.first).id
            try await worker.stores.transaction {
                try $0.setRole(.lead, insteadOf: .member, of: lead, in: team.id, by: .operator)
            }
            let found = try await service.find(experiment.id, of: team.id, by: .user(lead))
            let report = try #require(found.report)
            let counts = ExperimentCounts(
                a: SideCounts(members: users[.a]?.count ?? 0, voted: 5),
                b: SideCounts(members: users[.b]?.count ?? 0, voted: 3))
            #expect(report.sprints.map(\.result) == [.measured(counts)])
        }
    }
}
