import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

@testable import Worker

/// Changes between reading a delivery's recipients and sending to them.
@Suite struct DeliveryChangeTests {
    private static let kinds: [Delivery.Kind] = [.reminder, .message]

    private static func everybody(in team: Team, of worker: DeliveryWorker) async throws -> [Device] {
        try await worker.stores.read { try $0.devices(in: team.id, after: nil, through: nil, limit: 100) }
    }

    /// Records for all members that it was decided whether they get the mail.
    private static func passMails(of delivery: Delivery, in worker: DeliveryWorker) async throws {
        for batch in try await worker.stores.read({ try $0.batches(of: delivery.id) }) where batch.isByMail {
            var next = batch
            next.isDone = true
            #expect(try await worker.stores.advance(batch, to: next))
        }
    }

    @Test(arguments: StoreUnderTest.all, kinds)
    func `A former member gets nothing`(store: StoreUnderTest, kind: Delivery.Kind) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let stays = try await worker.addMember(to: team, devices: 1)
            let leaves = try await worker.addMember(to: team, devices: 1)
            let staysByMail = try await worker.addMember(to: team)
            let leavesByMail = try await worker.addMember(to: team)
            let sender = try await worker.sender(for: try await worker.addDelivery(kind, to: team))
            let devices = try await Self.everybody(in: team, of: worker)
            for user in [leaves, leavesByMail] {
                try await worker.stores.remove(userID: user.id, from: team.id)
            }
            let members = DeliveryPart.People.members([stays, leaves, staysByMail, leavesByMail].map(\.id))
            for people in [.devices(devices), members] {
                _ = try await sender.serve(people, at: DeliveryWorker.window, patience: .seconds(5))
            }
            #expect(worker.pushed == [stays.id: 1] && worker.mailed == [staysByMail.id: 1])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An administrator outside the team gets the test they asked for`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            try await worker.addMember(to: team)
            let admin = try await worker.addMember(to: try await worker.addTeam("Other"), devices: 1, role: .admin)
            let sender = try await worker.sender(for: try await worker.addDelivery(.test, to: team, by: admin))
            _ = try await sender.serve(.requester, at: DeliveryWorker.window, patience: .seconds(5))
            #expect(worker.pushed == [admin.id: 1])
        }
    }

    @Test(arguments: StoreUnderTest.all, kinds)
    func `A device that is removed or becomes someone else's gets nothing`(
        store: StoreUnderTest, kind: Delivery.Kind
    ) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let stays = try await worker.addMember(to: team, devices: 2)
            let sells = try await worker.addMember(to: team, devices: 1)
            let buys = try await worker.addMember(to: try await worker.addTeam("Other"))
            let sender = try await worker.sender(for: try await worker.addDelivery(kind, to: team))
            let devices = try await Self.everybody(in: team, of: worker)
            let removed = try #require(devices.first { $0.userID == stays.id })
            #expect(try await worker.stores.write { try $0.deleteDevice(removed.id, of: stays.id) })
            let sold = try #require(devices.first { $0.userID == sells.id })
            _ = try await worker.stores.register(
                Device(
                    userID: buys.id, sessionID: nil, address: sold.address, platform: .android, appVersion: nil,
                    locale: "en", refreshed: sold.refreshed), limit: 10)
            _ = try await sender.serve(.devices(devices), at: DeliveryWorker.window, patience: .seconds(5))
            #expect(worker.pushed == [stays.id: 1])
            // The mails have not been sent yet.
            #expect(worker.mailed.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `If the last device is lost after the mails, the user still gets a mail`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let unregistered = try await worker.addMember(to: team, devices: 2)
            let loggedOut = try await worker.addMember(to: team, devices: 1)
            let oneLeft = try await worker.addMember(to: team, devices: 2)
            let noMails = try await worker.addMember(to: team, devices: 1, mail: false)
            let voted = try await worker.addMember(to: team, devices: 1)
            try await worker.vote(voted, in: team)
            let gone = ["\(unregistered.id):0", "\(unregistered.id):1", "\(oneLeft.id):0", "\(noMails.id):0"]
            for token in gone { worker.fcm.fail(token, .unregistered) }
            let delivery = try await worker.addDelivery(.reminder, to: team)
            let sender = try await worker.sender(for: delivery)
            let devices = try await Self.everybody(in: team, of: worker)
            for device in devices where [loggedOut.id, voted.id].contains(device.userID) {
                #expect(try await worker.stores.write { try $0.deleteDevice(device.id, of: device.userID) })
            }
            try await Self.passMails(of: delivery, in: worker)
            let result = try await sender.serve(.devices(devices), at: DeliveryWorker.window, patience: .seconds(5))
            #expect(worker.pushed == [oneLeft.id: 1])
            #expect(worker.mailed == [unregistered.id: 1, loggedOut.id: 1])
            #expect(result.allCounts.mailed == 2 && result.allCounts.removed == 4 && result.allCounts.accepted == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The mail for a removed device does not tell that the push service is back`(
        store: StoreUnderTest
    ) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let loggedOut = try await worker.addMember(to: team, devices: 1)
            let waiting = try await worker.addMember(to: team, devices: 1)
            let away = FCMSimulator.Fault.unavailable(retryAfter: "30")
            worker.fcm.fail("\(waiting.id):0", away, away, away, away)
            let delivery = try await worker.addDelivery(.reminder, to: team)
            let sender = try await worker.sender(for: delivery)
            let people = DeliveryPart.People.devices(try await Self.everybody(in: team, of: worker))
            for device in try await Self.everybody(in: team, of: worker) where device.userID == loggedOut.id {
                #expect(try await worker.stores.write { try $0.deleteDevice(device.id, of: device.userID) })
            }
            try await Self.passMails(of: delivery, in: worker)
            let result = try await sender.serve(people, at: DeliveryWorker.window, patience: .milliseconds(200))
            #expect(worker.mailed == [loggedOut.id: 1] && worker.pushed.isEmpty)
            #expect(result.isStuck && result.allCounts.mailed == 1)
            // If it were sent again with the others, the user would get the same mail twice.
            _ = try await sender.serve(
                people.without(result.gone), at: DeliveryWorker.window, patience: .milliseconds(200))
            #expect(worker.mailed == [loggedOut.id: 1])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A mail that fails after that brings nobody the message again`(store: StoreUnderTest) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            let gone = try await worker.addMember(to: team, devices: 1)
            let other = try await worker.addMember(to: team, devices: 1)
            worker.fcm.fail("\(gone.id):0", .unregistered)
            worker.mailgun.fail(.status(503), .status(503), .status(503), .status(503))
            let delivery = try await worker.addDelivery(.reminder, to: team)
            try await Self.passMails(of: delivery, in: worker)
            let result = try await worker.sender(for: delivery).serve(
                .devices(Self.everybody(in: team, of: worker)), at: DeliveryWorker.window, patience: .seconds(5))
            #expect(worker.pushed == [other.id: 1] && worker.mailed.isEmpty)
            #expect(result.allCounts.failed == 1 && result.trouble == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `If a device is lost before its part of the mails is sent, the user gets a mail`(
        store: StoreUnderTest
    ) async throws {
        try await DeliveryWorker.with(store) { worker in
            let team = try await worker.addTeam()
            var users: [User] = []
            for number in 0..<40 {
                users.append(try await worker.addMember(to: team, devices: number.isMultiple(of: 2) ? 1 : 0))
            }
            let delivery = try await worker.addDelivery(.message, to: team)
            let sender = try await worker.sender(for: delivery)
            let parts = try await DeliveryPart.next(
                of: .members(IdentifierRange()), team: team.id, stores: worker.stores, sender: sender)
            #expect(parts.count == 2)
            for user in users.prefix(10) {
                for device in try await worker.stores.devices(of: user.id) {
                    _ = try await worker.stores.write { try $0.deleteDevice(device.id, of: user.id) }
                }
            }
            for part in parts {
                _ = try await sender.serve(part.people, at: DeliveryWorker.window, patience: .seconds(5))
            }
            let expected = users.enumerated().filter { $0.offset < 10 || !$0.offset.isMultiple(of: 2) }
            #expect(worker.mailed == Dictionary(uniqueKeysWithValues: expected.map { ($0.element.id, 1) }))
        }
    }
}
