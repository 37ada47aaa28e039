import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

@testable import Worker

/// Reminders and messages, from the plan to devices and mailboxes.
@Suite struct DeliveryTests {
    @Test(arguments: StoreUnderTest.all)
    func `A reminder reaches everyone who has not voted, by push or by mail`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let twoPhones = try await worker.addMember(to: team, devices: 2)
            let guest = try await worker.addMember(to: team, devices: 1, role: .guest)
            let mailOnly = try await worker.addMember(to: team)
            let pushOff = try await worker.addMember(to: team, devices: 1, push: false)
            let voted = try await worker.addMember(to: team, devices: 2)
            let votedByMail = try await worker.addMember(to: team)
            _ = try await worker.addMember(to: team, devices: 1, isDisabled: true)
            _ = try await worker.addMember(to: team, mail: false)
            _ = try await worker.addMember(to: team, devices: 1, push: false, mail: false)
            try await worker.vote(voted, in: team)
            try await worker.vote(votedByMail, in: team)

            for _ in 0..<2 {
                try await worker.run()
                #expect(worker.pushed == [twoPhones.id: 2, guest.id: 1])
                #expect(worker.mailed == [mailOnly.id: 1, pushOff.id: 1])
            }
            let delivery = try #require(try await worker.deliveries().first)
            #expect(try await worker.deliveries().count == 1)
            #expect(delivery.occasion.kind == .reminder && delivery.state == .done && delivery.trouble == nil)
            let counts = try await worker.counts(of: delivery)
            #expect(counts.accepted == 3 && counts.mailed == 2)
            let mail = try #require(worker.mailgun.mails.first)
            #expect(mail["text"]?.contains("Platypus") == true && mail["text"]?.contains("Vote now:") == true)
            #expect(mail["text"]?.contains("\n\(MailSender.site)/teams/\(team.id)/vote\n") == true)
            #expect(mail["subject"] == "Platypus: how happy are you this sprint?")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Nobody is reminded of a sprint that closed because everyone has voted`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            var members: [User] = []
            for _ in 0..<3 { members.append(try await worker.addMember(to: team, devices: 1)) }
            for member in members { try await worker.vote(member, in: team) }
            let sprints = SprintService(
                stores: worker.stores, secret: TestTeam.secret, clock: WallClock { DeliveryWorker.window })
            let sprint = try await sprints.runningSprint(of: team.id)
            #expect(try await sprints.closeIfEveryoneVoted(sprint.key))
            // Its receipts are gone, so it looks as if nobody had voted.
            let receipts = members.map { Receipt(secret: TestTeam.secret, sprint: sprint.key, userID: $0.id) }
            #expect(try await worker.stores.ballots.existing(among: receipts).isEmpty)

            try await worker.run()
            #expect(worker.pushed.isEmpty && worker.mailed.isEmpty)
            #expect(try await worker.deliveries().isEmpty)

            // One that was planned before the close.
            let occasion = Delivery.Occasion(
                sprint: sprint.key, kind: .reminder, day: CalendarDay(instant: sprint.start, in: .gmt))
            let plan = ReminderPlan(
                sprint: sprint, zone: .gmt, settings: try await worker.stores.reminderSettings(of: team.id),
                earlier: [])
            let filter = RecipientFilter(
                delivery: Delivery(occasion: occasion, begun: DeliveryWorker.window), plan: plan, absences: [:],
                stores: worker.stores, secret: TestTeam.secret)
            #expect(try await filter.admitted(among: members.map(\.id)).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Teams without a sprint do not keep others from their reminder`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            // More than one, so that one comes first whatever the order is.
            var sprintless: [Team] = []
            for number in 0..<8 {
                let team = try await worker.addTeam("Sprintless \(number)")
                try await worker.addMember(to: team, devices: 1)
                sprintless.append(team)
            }
            let team = try await worker.addTeam()
            let member = try await worker.addMember(to: team, devices: 1)
            try await worker.vote(worker.addMember(to: team), in: team)
            try await worker.run(closesSprints: false)
            #expect(worker.pushed == [member.id: 1])
            for team in sprintless {
                #expect(try await worker.stores.read { try $0.sprintKeys(of: team.id) }.isEmpty)
            }
        }
    }

    @Test(.thorough) func `A reminder goes out at once, however many deliveries are under way`() async throws {
        try await DeliveryWorker.with(.sqlite) { worker in
            let busy = try await worker.addTeam("Busy")
            let sprint = Sprint.Key(teamID: busy.id, start: TestTeam.firstMonday)
            let day = CalendarDay(instant: DeliveryWorker.window, in: .gmt)
            for _ in 0..<500 {
                let delivery = Delivery(
                    occasion: Delivery.Occasion(sprint: sprint, kind: .message, day: day),
                    begun: DeliveryWorker.window - 60, text: Delivery.Text(title: "Retro", body: "At ten."))
                #expect(try await worker.stores.insert(delivery))
            }
            let team = try await worker.addTeam()
            let member = try await worker.addMember(to: team, devices: 1)
            try await worker.run()
            #expect(worker.pushed == [member.id: 1])
        }
    }

    /// They are collected before they are stored, in several transactions at a time.
    @Test(.thorough) func `Hundreds of teams are reminded in the same minute`() async throws {
        try await DeliveryWorker.with(.sqlite) { worker in
            var members: [User] = []
            for number in 0..<470 {
                let team = try await worker.addTeam("Team \(number)")
                members.append(try await worker.addMember(to: team, devices: 1))
            }
            try await worker.run()
            #expect(worker.pushed == Dictionary(uniqueKeysWithValues: members.map { ($0.id, 1) }))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `If a device's service has no driver, its owner gets the mail`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let browser = try await worker.addMember(to: team, devices: 1, service: .webPush)
            let both = try await worker.addMember(to: team, devices: 1, service: .apns)
            try await worker.addDevice(of: both.id, 7)
            try await worker.run()
            #expect(worker.pushed == [both.id: 1])
            #expect(worker.mailed == [browser.id: 1])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An absent user gets nothing until they are back`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let here = try await worker.addMember(to: team, devices: 1)
            let away = try await worker.addMember(to: team, devices: 1)
            let first = CalendarDay(instant: DeliveryWorker.window, in: .gmt)
            try await worker.stores.replaceAbsences(
                of: away.id, by: [Absence(first: first, last: first.adding(days: 1))])
            try await worker.run()
            #expect(worker.pushed == [here.id: 1])
            for (days, expected) in [(1, [here.id: 1]), (2, [here.id: 1, away.id: 1]), (3, [here.id: 1, away.id: 1])] {
                try await worker.run(at: DeliveryWorker.window + Double(days) * TestTeam.day)
                #expect(worker.pushed == expected)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An unknown device is removed, and a refused one stays`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let gone = try await worker.addMember(to: team, devices: 2)
            let refused = try await worker.addMember(to: team, devices: 1)
            worker.fcm.fail("\(gone.id):0", .unregistered)
            worker.fcm.fail("\(refused.id):0", .thirdPartyAuthenticationError)
            try await worker.run()
            let left = try await worker.stores.devices(of: gone.id).map(\.address)
            #expect(left == [.fcm(token: "\(gone.id):1")])
            #expect(try await worker.stores.devices(of: refused.id).count == 1)
            #expect(worker.pushed[gone.id] == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A user who lost their last device gets the mail of the same occasion once`(
        store: StoreUnderTest
    ) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let gone = try await worker.addMember(to: team, devices: 2)
            let oneLeft = try await worker.addMember(to: team, devices: 2)
            let noMails = try await worker.addMember(to: team, devices: 1, mail: false)
            for token in ["\(gone.id):0", "\(gone.id):1", "\(oneLeft.id):0", "\(noMails.id):0"] {
                worker.fcm.fail(token, .unregistered)
            }
            for seconds in [0, 60, 3_700] {
                try await worker.run(at: DeliveryWorker.window + Double(seconds))
                #expect(worker.pushed == [oneLeft.id: 1] && worker.mailed == [gone.id: 1])
            }
            let delivery = try #require(try await worker.deliveries().first)
            #expect(delivery.state == .done)
            let counts = try await worker.counts(of: delivery)
            #expect(counts.accepted == 1 && counts.removed == 4 && counts.mailed == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A user who chose an hour is reminded then, once, and not with the team`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let early = try await worker.addMember(to: team, hour: 7)
            let punctual = try await worker.addMember(to: team)
            let late = try await worker.addMember(to: team, devices: 1, hour: 14)
            let voted = try await worker.addMember(to: team, hour: 14)
            try await worker.vote(voted, in: team)
            for (hours, mailed, pushed) in [
                (-2, [early.id: 1], [:]), (0, [early.id: 1, punctual.id: 1], [:]),
                (5, [early.id: 1, punctual.id: 1], [late.id: 1]), (6, [early.id: 1, punctual.id: 1], [late.id: 1]),
            ] as [(Double, [User.ID: Int], [User.ID: Int])] {
                try await worker.run(at: DeliveryWorker.window + hours * 3_600)
                #expect(worker.mailed == mailed && worker.pushed == pushed, "\(hours) hours after the team")
            }
            // The list shows one reminder; those of single members would reveal whether they had voted.
            #expect(try await worker.deliveries().map(\.occasion.hour) == [nil])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A test comes by mail if the last device was lost`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let lead = try await worker.addMember(to: team, devices: 1)
            worker.fcm.fail("\(lead.id):0", .unregistered)
            let sprint = try await SprintService(
                stores: worker.stores, secret: TestTeam.secret, clock: WallClock { DeliveryWorker.window }
            ).runningSprint(of: team.id)
            // Before the reminder's window: nothing else is due.
            let early = DeliveryWorker.window - 3_600
            let test = Delivery(
                occasion: Delivery.Occasion(
                    sprint: sprint.key, kind: .test, day: CalendarDay(instant: early, in: .gmt)),
                begun: early, requestedBy: lead.id)
            _ = try await worker.stores.insert(test)
            try await worker.run(at: early)
            #expect(worker.mailed == [lead.id: 1])
            let counts = try await worker.counts(of: test)
            #expect(counts.removed == 1 && counts.mailed == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Mails wait for messages, but not forever`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let phone = try await worker.addMember(to: team, devices: 1)
            let mailOnly = try await worker.addMember(to: team)
            for _ in 0..<400 { worker.fcm.fail("\(phone.id):0", .thirdPartyAuthenticationError) }
            try await worker.run()
            #expect(worker.mailed.isEmpty)
            for seconds in [DeliveryJobs.mailsWait + 60, DeliveryJobs.mailsWait + 120, 3_700] {
                try await worker.run(at: DeliveryWorker.window + seconds)
                #expect(worker.mailed == [mailOnly.id: 1])
            }
            #expect(try await worker.deliveries().map(\.state) == [.done])
            #expect(worker.pushed.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A user that no service reaches delays nobody else`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let stuck = try await worker.addMember(to: team)
            let silent = try await worker.addMember(to: team, push: false, mail: false)
            let other = try await worker.addMember(to: team)
            // The first part contains only the device that fails, the second one no recipient, the third one the other
            // device.
            try await worker.addDevice(of: stuck.id, 0, id: Device.ID(String(repeating: "0", count: 32)))
            for number in 100..<227 {
                try await worker.addDevice(
                    of: silent.id, number, id: Device.ID("1\(number)" + String(repeating: "0", count: 28)))
            }
            try await worker.addDevice(of: other.id, 0, id: Device.ID(String(repeating: "f", count: 32)))
            for _ in 0..<400 { worker.fcm.fail("\(stuck.id):0", .thirdPartyAuthenticationError) }
            for minutes in 0..<4 {
                try await worker.run(at: DeliveryWorker.window + Double(600 * minutes))
            }
            #expect(worker.pushed == [other.id: 1])
            let delivery = try #require(try await worker.deliveries().first)
            #expect(delivery.state == .done)
            let counts = try await worker.counts(of: delivery)
            #expect(counts.accepted == 1 && counts.failed == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A message goes to all, and a test to the user who requested it`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let voted = try await worker.addMember(to: team, devices: 1)
            let mailOnly = try await worker.addMember(to: team)
            try await worker.vote(voted, in: team)
            let sprint = try #require(try await worker.stores.latestSprint(of: team.id)?.sprint.key)
            let day = CalendarDay(instant: DeliveryWorker.window, in: .gmt)
            // Before the reminder's window: nothing else is due.
            let early = DeliveryWorker.window - 3_600
            let message = Delivery(
                occasion: Delivery.Occasion(sprint: sprint, kind: .message, day: day), begun: early,
                text: Delivery.Text(title: "Retro at ten", body: "Please\ncome."), requestedBy: voted.id)
            _ = try await worker.stores.insert(message)
            try await worker.run(at: early)
            #expect(worker.pushed == [voted.id: 1] && worker.mailed == [mailOnly.id: 1])
            #expect(worker.fcm.messages.first?["notification", "title"] == "Retro at ten")
            #expect(worker.mailgun.mails.first?["text"]?.contains("Please\ncome.") == true)

            for user in [voted, mailOnly] {
                let test = Delivery(
                    occasion: Delivery.Occasion(sprint: sprint, kind: .test, day: day), begun: early,
                    requestedBy: user.id)
                _ = try await worker.stores.insert(test)
            }
            try await worker.run(at: early + 60)
            #expect(worker.pushed == [voted.id: 2] && worker.mailed == [mailOnly.id: 2])
            #expect(try await worker.deliveries().allSatisfy { $0.state == .done })
        }
    }

    @Test(.thorough, arguments: StoreUnderTest.all)
    func `Two workers at once send each device one message`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            var users: [User] = []
            for _ in 0..<60 { users.append(try await worker.addMember(to: team, devices: 20)) }
            for user in users.prefix(10) { try await worker.vote(user, in: team) }
            async let one: Void = worker.run()
            async let other: Void = worker.run()
            _ = try await (one, other)
            // Sends the messages that one worker had not enqueued when the other looked last, and repeats what failed on
            // a busy machine.
            for minute in 1...5 { try await worker.run(at: DeliveryWorker.window + 60 * Double(minute)) }
            #expect(worker.pushed == Dictionary(uniqueKeysWithValues: users.dropFirst(10).map { ($0.id, 20) }))
            let delivery = try #require(try await worker.deliveries().first)
            #expect(delivery.state == .done)
            #expect(try await worker.stores.read { try $0.batches(of: delivery.id) }.count > 3)
            #expect(try await worker.counts(of: delivery).accepted == 1_000)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Nothing that is stored or logged names who has not voted`(store: StoreUnderTest) async throws {
        let log = CapturedLog()
        try await DeliveryWorker.with(store, logger: log.logger) { worker in
            let team = try await worker.addTeam()
            var users: [User] = []
            for number in 0..<40 {
                users.append(try await worker.addMember(to: team, devices: number.isMultiple(of: 2) ? 16 : 0))
            }
            for user in users.prefix(10) { try await worker.vote(user, in: team) }
            // Half done: some parts were sent, for others the service is unavailable.
            for user in users { worker.fcm.fail("\(user.id):3", .unavailable(retryAfter: "90")) }
            worker.mailgun.fail(.status(503), .status(503), .status(503))
            try await worker.run()
            let jobs = try await worker.stores.jobs.list(state: nil, limit: 1_000)
            let deliveries = try await worker.deliveries()
            #expect(deliveries.map(\.state) == [.sending])
            var dump = jobs.map { "\($0)" } + deliveries.map { "\($0)" } + log.lines
            for delivery in deliveries {
                dump += try await worker.stores.read { try $0.batches(of: delivery.id) }.map { "\($0)" }
            }
            let text = dump.joined(separator: "\n")
            #expect(text.contains(DeliveryJobs.batchKind))
            for user in users {
                #expect(!text.contains(user.id.description))
                for device in try await worker.stores.devices(of: user.id) {
                    #expect(!text.contains(device.id.description))
                }
            }
        }
    }
}
