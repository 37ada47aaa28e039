import Domain
import Foundation
import Ports
import Services
import Storage
import TestSupport
import Testing

@testable import Worker

/// Which mails mark an account whose address takes none, and which are not sent to it then.
@Suite struct AddressFaultMailTests {
    /// Monday 2026-01-19, 09:00 UTC: the sprint that began on 2026-01-05 has ended, and the team's hour has come.
    private static let morning = TestTeam.firstMonday + 14 * TestTeam.day + 9 * 3_600

    private static func fault(of user: User, _ stores: Stores) async throws -> AddressFault? {
        try await stores.user(user.id)?.addressFault
    }

    /// Sends a delivery's mail to a user, whom Mailgun rejects.
    private static func refuse(
        _ kind: Delivery.Kind, to user: User, in team: Team, _ worker: DeliveryWorker
    ) async throws {
        worker.mailgun.fail(containing: user.id.description, .refuseRecipient)
        let sender = try await worker.sender(for: worker.addDelivery(kind, to: team))
        guard case .rejected = try await sender.send(to: user, at: DeliveryWorker.window) else {
            Issue.record("\(kind)")
            return
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A reminder that bounces marks nobody`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let member = try await worker.addMember(to: team)
            for kind in [Delivery.Kind.reminder, .secondReminder] {
                try await Self.refuse(kind, to: member, in: team, worker)
                #expect(try await Self.fault(of: member, worker.stores) == nil, "\(kind)")
            }
            try await Self.refuse(.message, to: member, in: team, worker)
            #expect(try await Self.fault(of: member, worker.stores)?.kind == .bounced)
        }
    }

    @Test func `Reminders carry no code, and other mails do`() async throws {
        try await DeliveryWorker.with(.sqlite) { worker in
            let team = try await worker.addTeam()
            let member = try await worker.addMember(to: team)
            for kind in Delivery.Kind.allCases {
                let sender = try await worker.sender(for: worker.addDelivery(kind, to: team))
                _ = try await sender.send(to: member, at: DeliveryWorker.window)
                let code = worker.mailgun.mails.last?["v:address-code"]
                if kind.dependsOnVotes {
                    #expect(code == nil, "\(kind)")
                } else {
                    let codes = AddressCodes(secret: Secrets.test.jwt)
                    #expect(code.map { codes.isValid($0, of: member.email) } == true, "\(kind)")
                }
            }
            #expect(worker.mailgun.mails.count == Delivery.Kind.allCases.count)
        }
    }

    @Test func `A marked address gets no reminders and messages, and others still do`() async throws {
        try await DeliveryWorker.with(.sqlite) { worker in
            let team = try await worker.addTeam()
            let (marked, other) = (try await worker.addMember(to: team), try await worker.addMember(to: team))
            let reached = try await worker.addMember(to: team, devices: 1)
            let faults = AddressFaultService(stores: worker.stores, secrets: .test, clock: .system)
            for user in [marked, reached] { try await faults.mark(user.email, as: .bounced) }
            _ = try await worker.addDelivery(.message, to: team)
            try await worker.run()
            // A message, and the first reminder.
            #expect(worker.mailed == [other.id: 2])
            #expect(Set(worker.pushed.keys) == [reached.id])
        }
    }

    @Test func `A marked address gets no result`() async throws {
        try await DeliveryWorker.with(.sqlite) { worker in
            let team = try await worker.addTeam()
            var members: [User] = []
            for _ in 0..<3 { members.append(try await worker.addMember(to: team, mail: false)) }
            for member in members {
                try await worker.vote(member, in: team)
                try await worker.stores.update(id: member.id, UserUpdate(notifications: .init(results: true)))
            }
            let faults = AddressFaultService(stores: worker.stores, secrets: .test, clock: .system)
            try await faults.mark(members[0].email, as: .complained)
            try await worker.run(at: Self.morning - 9 * 3_600)
            try await worker.run(at: Self.morning)
            #expect(worker.mailed == [members[1].id: 1, members[2].id: 1])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A refused mail about the account marks it, and such mails are still sent`(
        store: StoreUnderTest
    ) async throws {
        try await MailWorker.with(store) { worker in
            let anna = try await worker.addUser()
            worker.mailgun.fail(.refuseRecipient)
            try await worker.jobs.passwordReset(of: anna.id)
            try await worker.run()
            #expect(try await Self.fault(of: anna, worker.stores)?.kind == .bounced)
            #expect(worker.mailgun.mails.isEmpty)
            try await worker.jobs.passwordReset(of: anna.id)
            try await worker.run()
            #expect(worker.mailgun.mails.count == 1)
        }
    }

    @Test func `Mailgun's report about a mail marks its recipient`() async throws {
        try await MailWorker.with { worker in
            let anna = try await worker.addUser()
            try await worker.jobs.passwordReset(of: anna.id)
            try await worker.run()
            let mail = try #require(worker.mailgun.mails.first)
            let webhook = try MailgunWebhook("failed", severity: "permanent", of: mail, at: testStart)
            let body = Data(try webhook.body(signedWith: "signing key").utf8)
            let report = try JSONDecoder().decode(MailgunReport.self, from: body)
            try await AddressFaultService(stores: worker.stores, secrets: .test, clock: WallClock { testStart })
                .handle(report, signedWith: SecretText("signing key"))
            #expect(try await Self.fault(of: anna, worker.stores)?.kind == .bounced)
        }
    }

    @Test func `A refusal that is not about the address marks nobody`() async throws {
        try await MailWorker.with { worker in
            let anna = try await worker.addUser()
            for status in [400, 413] {
                worker.mailgun.fail(.status(status))
                try await worker.jobs.passwordReset(of: anna.id)
                try await worker.run()
                #expect(try await Self.fault(of: anna, worker.stores) == nil, "\(status)")
            }
        }
    }
}
