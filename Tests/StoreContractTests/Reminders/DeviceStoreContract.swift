import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

@Suite struct DeviceStoreContract {
    @Test(arguments: StoreUnderTest.all)
    func `Devices of every service are listed as registered, in the order of their IDs`(
        kind: StoreUnderTest
    ) async throws {
        try await kind.withStores { stores in
            let voter = try await stores.makeStranger()
            var devices = [
                voter.device(.uniqueFCM()), voter.device(.apns(token: "0a1b"), platform: .ios, appVersion: nil),
                voter.device(.browser(), platform: .web),
            ]
            for device in devices {
                #expect(try await stores.register(device, limit: 20) == device)
            }
            devices.append(try await stores.makeImportedDevice(of: voter.user))
            _ = try await stores.makeDevice(of: stores.makeStranger())
            #expect(try await stores.devices(of: voter.user.id) == devices.sorted { $0.id < $1.id })
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A device that registers again keeps its ID, and everything else is updated`(
        kind: StoreUnderTest
    ) async throws {
        try await kind.withStores { stores in
            let voter = try await stores.makeStranger()
            let endpoint = "https://push.example/a"
            let first = try await stores.makeDevice(of: voter, .browser(endpoint: endpoint, key: 1))
            let later = Voter(user: voter.user, session: try await stores.makeSession(of: voter.user))
            let again = later.device(
                .browser(endpoint: endpoint, key: 2), platform: .web, appVersion: "2.0",
                refreshed: DeviceDays.day.adding(days: 30))
            let kept = try await stores.register(again, limit: 20)
            #expect(kept.id == first.id && kept != first)
            #expect(kept.sessionID == later.session.id && kept.appVersion == "2.0")
            #expect(kept.address == again.address && kept.refreshed == again.refreshed)
            #expect(try await stores.devices(of: voter.user.id) == [kept])
        }
    }

    /// The old one is dead, and would otherwise stay until its push service says so.
    @Test(arguments: StoreUnderTest.all)
    func `A browser's subscription replaces the one of its session, and no other device`(
        kind: StoreUnderTest
    ) async throws {
        try await kind.withStores { stores in
            let voter = try await stores.makeStranger()
            let elsewhere = Voter(user: voter.user, session: try await stores.makeSession(of: voter.user))
            let phone = try await stores.makeDevice(of: voter)
            let second = try await stores.makeDevice(of: elsewhere, .browser())
            let first = try await stores.makeDevice(of: voter, .browser())
            let renewed = voter.device(.browser(), platform: .web)
            let kept = try await stores.register(renewed, limit: 3)
            #expect(kept == renewed.identified(as: first.id))
            let all = [phone, second, kept].sorted { $0.id < $1.id }
            #expect(try await stores.devices(of: voter.user.id) == all)
            #expect(try await stores.read { try $0.device(at: first.address) } == nil)
            // A login in the browser that already has one.
            let moved = try await stores.register(voter.device(second.address), limit: 3)
            #expect(moved.id == second.id && moved.sessionID == voter.session.id)
            let left = [phone, moved].sorted { $0.id < $1.id }
            #expect(try await stores.devices(of: voter.user.id) == left)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many subscriptions of one session at once, one is left`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let voter = try await stores.makeStranger()
            let kept = try await concurrently(8) { _ in
                try await stores.register(voter.device(.browser(), platform: .web), limit: 20).id
            }
            #expect(Set(kept).count == 1)
            #expect(try await stores.devices(of: voter.user.id).count == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many registrations of one address at once, one device is left`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let voter = try await stores.makeStranger()
            let address = Device.Address.uniqueFCM()
            let kept = try await concurrently(20) { _ in
                try await stores.register(voter.device(address), limit: 20).id
            }
            #expect(Set(kept).count == 1)
            #expect(try await stores.devices(of: voter.user.id).map(\.id) == Array(Set(kept)))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many users who register one address at once, one has it`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let voters = try await stores.makeVoters(8, in: stores.makeTeam())
            let address = Device.Address.uniqueFCM()
            _ = try await concurrently(voters.count) { number in
                try await stores.register(voters[number].device(address), limit: 20)
            }
            let owners = try await stores.read {
                try $0.deviceOwners(among: voters.map(\.user.id), reachedBy: Set(PushService.allCases))
            }
            #expect(owners.count == 1)
        }
    }

    /// Neither the id nor the day must reveal to the second user that the first one had it.
    @Test(arguments: StoreUnderTest.all)
    func `An address moves to another user as if it were new`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (giver, taker) = (try await stores.makeStranger(), try await stores.makeStranger())
            let address = Device.Address.uniqueFCM()
            let before = try await stores.makeDevice(of: giver, address)
            let device = taker.device(address)
            #expect(try await stores.register(device, limit: 20) == device)
            #expect(device.id != before.id)
            #expect(try await stores.devices(of: giver.user.id).isEmpty)
            #expect(try await stores.devices(of: taker.user.id) == [device])
            #expect(try await stores.write { try $0.deleteDevice(device.id, of: giver.user.id) } == false)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A token of one service is not that of another`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let voter = try await stores.makeStranger()
            let token = String(repeating: "a", count: 64)
            try await stores.makeDevice(of: voter, .fcm(token: token))
            try await stores.makeDevice(of: voter, .apns(token: token))
            #expect(try await stores.devices(of: voter.user.id).count == 2)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A token of the greatest length is stored`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let voter = try await stores.makeStranger()
            let token = String(repeating: "x", count: Device.Address.fcmTokenLengths.upperBound)
            let device = try await stores.makeDevice(of: voter, .fcm(token: token))
            #expect(try await stores.devices(of: voter.user.id) == [device])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A user has no more devices than the limit`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (voter, other) = (try await stores.makeStranger(), try await stores.makeStranger())
            let first = try await stores.makeDevice(of: voter)
            let othersDevice = try await stores.makeDevice(of: other)
            let registered = try await concurrently(10) { _ in
                do {
                    _ = try await stores.register(voter.device(), limit: 3)
                    return true
                } catch let error as AppError {
                    #expect(error.code == .conflict && error.reason == .tooManyDevices)
                    return false
                }
            }
            #expect(registered.count(where: { $0 }) == 2)
            #expect(try await stores.devices(of: voter.user.id).count == 3)
            // An existing device is still refreshed, and another user's still belongs to them.
            let again = voter.device(first.address, refreshed: DeviceDays.day.adding(days: 1))
            #expect(try await stores.register(again, limit: 3).id == first.id)
            await expectRejection(.conflict, reason: .tooManyDevices) {
                _ = try await stores.register(voter.device(othersDevice.address), limit: 3)
            }
            #expect(try await stores.devices(of: other.user.id) == [othersDevice])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Only its user removes a device`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (voter, other) = (try await stores.makeStranger(), try await stores.makeStranger())
            let device = try await stores.makeDevice(of: voter)
            #expect(try await stores.write { try $0.deleteDevice(device.id, of: other.user.id) } == false)
            #expect(try await stores.write { try $0.deleteDevice(.random(), of: voter.user.id) } == false)
            #expect(try await stores.write { try $0.deleteDevice(device.id, of: voter.user.id) })
            #expect(try await stores.write { try $0.deleteDevice(device.id, of: voter.user.id) } == false)
            #expect(try await stores.devices(of: voter.user.id).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A device unknown to its service is removed unless it registered again`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let voter = try await stores.makeStranger()
            let device = try await stores.makeDevice(of: voter)
            func count() async throws -> Int { try await stores.devices(of: voter.user.id).count }
            let dayBefore = DeviceDays.day.adding(days: -1)
            try await stores.write { try $0.deleteDevice(device.id, ifAddressIs: .uniqueFCM(), refreshedBy: nil) }
            try await stores.write { try $0.deleteDevice(.random(), ifAddressIs: device.address, refreshedBy: nil) }
            try await stores.write {
                try $0.deleteDevice(device.id, ifAddressIs: device.address, refreshedBy: dayBefore)
            }
            #expect(try await count() == 1)
            try await stores.write {
                try $0.deleteDevice(device.id, ifAddressIs: device.address, refreshedBy: DeviceDays.day)
            }
            #expect(try await count() == 0)
            let other = try await stores.makeDevice(of: voter)
            try await stores.write { try $0.deleteDevice(other.id, ifAddressIs: other.address, refreshedBy: nil) }
            #expect(try await count() == 0)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Devices not refreshed since a day are removed`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let voter = try await stores.makeStranger()
            let kept = try await stores.makeDevice(of: voter)
            try await stores.makeDevice(of: voter, refreshed: DeviceDays.day.adding(days: -1))
            try await stores.write { try $0.deleteStaleDevices(before: DeviceDays.day) }
            #expect(try await stores.devices(of: voter.user.id) == [kept])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Owners are the requested users who have a device`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let voters = try await stores.makeVoters(4, in: stores.makeTeam())
            for voter in voters.prefix(3) {
                try await stores.makeDevice(of: voter)
                try await stores.makeDevice(of: voter)
            }
            let asked = voters.dropFirst().map(\.user.id)
            let all = Set(PushService.allCases)
            let owners = try await stores.read { try $0.deviceOwners(among: asked, reachedBy: all) }
            #expect(owners == [voters[1].user.id, voters[2].user.id])
            #expect(try await stores.read { try $0.deviceOwners(among: [], reachedBy: all) }.isEmpty)
            #expect(try await stores.read { try $0.deviceOwners(among: asked, reachedBy: []) }.isEmpty)
            let through = try await stores.read { try $0.deviceOwners(among: asked, reachedBy: [.fcm]) }
            #expect(through == owners)
            #expect(try await stores.read { try $0.deviceOwners(among: asked, reachedBy: [.apns, .webPush]) }.isEmpty)
        }
    }
}
