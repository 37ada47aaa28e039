import Domain
import Foundation
import Storage
import TestSupport
import Testing

/// Lists a team's devices in the order in which reminders process them.
@Suite struct TeamDevicesContract {
    @Test(arguments: StoreUnderTest.all)
    func `A team's devices come in pages, in the order of their IDs`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            var expected: [Device] = []
            for voter in try await stores.makeVoters(6, in: team) {
                for _ in 0..<3 { expected.append(try await stores.makeDevice(of: voter)) }
            }
            for voter in try await stores.makeVoters(3, in: stores.makeTeam()) {
                try await stores.makeDevice(of: voter)
            }
            expected.sort { $0.id < $1.id }

            var listed: [Device] = []
            var page: [Device]
            repeat {
                page = try await stores.read { [listed] rows in
                    try rows.devices(in: team.id, after: listed.last?.id, through: nil, limit: 4)
                }
                #expect(page.count <= 4)
                listed += page
            } while !page.isEmpty
            #expect(listed == expected)
            #expect(try await stores.read { try $0.devices(in: .random(), after: nil, through: nil, limit: 4) }.isEmpty)
        }
    }

    /// A store reads the devices of a team of more than five hundred members in another way.
    @Test(.thorough, arguments: StoreUnderTest.all)
    func `The devices of a large team come in the same order, without those of others`(
        kind: StoreUnderTest
    ) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            var expected: [Device] = []
            for voter in try await stores.makeVoters(6, in: team) {
                for _ in 0..<3 { expected.append(try await stores.makeDevice(of: voter)) }
            }
            for voter in try await stores.makeVoters(6, in: stores.makeTeam()) {
                try await stores.makeDevice(of: voter)
            }
            for _ in 0..<495 {
                let user = try await stores.makeUser()
                try await stores.add(Membership(teamID: team.id, userID: user.id))
            }
            expected.sort { $0.id < $1.id }
            func list(after: Device.ID?, through: Device.ID?, limit: Int) async throws -> [Device] {
                try await stores.read { try $0.devices(in: team.id, after: after, through: through, limit: limit) }
            }
            #expect(try await list(after: nil, through: nil, limit: 100) == expected)
            #expect(try await list(after: nil, through: nil, limit: 7) == Array(expected[..<7]))
            #expect(try await list(after: expected[6].id, through: nil, limit: 7) == Array(expected[7..<14]))
            #expect(
                try await list(after: expected[3].id, through: expected[9].id, limit: 100) == Array(expected[4...9]))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A range begins after one ID and ends with another`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            for voter in try await stores.makeVoters(8, in: team) { try await stores.makeDevice(of: voter) }
            func list(after: Device.ID?, through: Device.ID?, limit: Int = 100) async throws -> [Device.ID] {
                try await stores.read { try $0.devices(in: team.id, after: after, through: through, limit: limit) }.map(
                    \.id)
            }
            let ids = try await list(after: nil, through: nil)
            #expect(ids.count == 8)
            #expect(try await list(after: ids[1], through: ids[5]) == Array(ids[2...5]))
            #expect(try await list(after: ids[1], through: ids[5], limit: 2) == Array(ids[2...3]))
            #expect(try await list(after: nil, through: ids[0]) == [ids[0]])
            #expect(try await list(after: ids[7], through: nil).isEmpty)
            #expect(try await list(after: ids[3], through: ids[3]).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A member of several teams is listed in each, and a former one in none`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let teams = [try await stores.makeTeam(), try await stores.makeTeam()]
            let voter = try await stores.makeVoters(1, in: teams[0])[0]
            try await stores.add(Membership(teamID: teams[1].id, userID: voter.user.id))
            let device = try await stores.makeDevice(of: voter)
            func list(_ team: Team) async throws -> [Device] {
                try await stores.read { try $0.devices(in: team.id, after: nil, through: nil, limit: 10) }
            }
            #expect(try await list(teams[0]) == [device])
            #expect(try await list(teams[1]) == [device])
            try await stores.remove(userID: voter.user.id, from: teams[0].id)
            #expect(try await list(teams[0]).isEmpty)
            #expect(try await list(teams[1]) == [device])
            #expect(try await stores.devices(of: voter.user.id) == [device])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Devices are found by their IDs as they are now`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let voters = try await stores.makeVoters(3, in: stores.makeTeam())
            var devices: [Device] = []
            for voter in voters { devices.append(try await stores.makeDevice(of: voter)) }
            let first = devices[0].id
            #expect(try await stores.write { try $0.deleteDevice(first, of: voters[0].user.id) })
            // It now belongs to the owner of another phone, under another id.
            let moved = try await stores.makeDevice(of: voters[0], devices[1].address)
            let found = try await stores.read { [devices] rows in
                try rows.devices(devices.map(\.id) + [.random(), devices[2].id])
            }
            #expect(found == [devices[2]])
            let both = [moved, devices[2]].sorted { $0.id < $1.id }
            #expect(try await stores.read { try $0.devices(both.reversed().map(\.id)) } == both)
            #expect(try await stores.read { try $0.devices([]) }.isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Many users are checked for membership at once`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let members = try await stores.makeVoters(4, in: team).map(\.user.id)
            let others = try await stores.makeVoters(2, in: stores.makeTeam()).map(\.user.id)
            try await stores.remove(userID: members[0], from: team.id)
            let asked = members.prefix(3) + others + [.random()]
            #expect(try await stores.read { try $0.memberIDs(of: team.id, among: Array(asked)) } == Set(members[1...2]))
            #expect(try await stores.read { try $0.memberIDs(of: team.id, among: []) }.isEmpty)
        }
    }
}
