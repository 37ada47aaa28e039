import Domain
import Foundation
import Mongo
import Storage
import TestSupport
import Testing

/// A process casts ballots from what it remembers of its last commit, while other processes write too.
@Suite(.needsMongod) struct MongoCastAheadTests {
    @Test(arguments: PublicationPolicy.allCases)
    func `Two processes that cast in turn stay exact`(policy: PublicationPolicy) async throws {
        let (stores, others) = try await Self.twoProcesses()
        let team = try await stores.makeTeam()
        let sprint = try await stores.makeSprint(of: team, threshold: 2, policy: policy)
        var voters = try await stores.makeVoters(60, in: team)[...]
        var threshold = 2
        var expected = PublicationState.initial
        var numbers: [String: Int] = [:]
        // Several casts by one process, which relies on its memory, followed by one of the other process.
        for (turn, length) in [3, 1, 1, 2, 1, 4, 3, 1, 5].enumerated() {
            if turn == 5 {
                threshold = 4
                try await others.updateSettings(id: team.id, TeamSettings(threshold: threshold))
            }
            for size in 1...length {
                let cast = voters.prefix(size)
                let ballots = try cast.enumerated().map { index, voter in
                    try voter.ballot(in: sprint, tenths: 10 * index + turn, feedback: "\(voter.user.id)")
                }
                voters = voters.dropFirst(size)
                for voter in cast { numbers["\(voter.user.id)"] = expected.snapshotNumber + 1 }
                expected.count(ballots, policy: policy, threshold: threshold)
                let outcomes = try await (turn.isMultiple(of: 2) ? stores : others).cast(ballots)
                #expect(outcomes.allSatisfy { $0.isCounted })
                #expect(try await stores.record(of: sprint).state == expected)
            }
        }
        for number in 0...expected.snapshotNumber + 1 {
            let released = try await stores.ballots.feedback(
                of: sprint.key, publishedNumber: number, secret: Voter.secret, after: nil, limit: 1_000)
            #expect(Set(released.map(\.text)) == Set(numbers.filter { $0.value <= number }.keys))
        }
    }

    @Test func `A sprint that another process has closed takes no ballot`() async throws {
        let (stores, others) = try await Self.twoProcesses()
        let team = try await stores.makeTeam()
        let sprint = try await stores.makeSprint(of: team)
        let voters = try await stores.makeVoters(4, in: team)
        #expect(try await stores.cast(voters[..<2].map { try $0.ballot(in: sprint) }).allSatisfy { $0.isCounted })
        #expect(try await others.ballots.close(sprint.key))
        let late = try [voters[2].ballot(in: sprint, feedback: "late"), voters[0].ballot(in: sprint)]
        #expect(try await stores.cast(late) == [.sprintClosed, .sprintClosed])
        #expect(try await stores.cast(late) == [.sprintClosed, .sprintClosed])
        #expect(try await stores.record(of: sprint).state.current.count == 2)
        #expect(try await stores.ballots.contains(voters[2].receipt(in: sprint)) == false)
    }

    @Test func `A sprint changed behind the process's back is read again`() async throws {
        let fixture = try await MongoFixture.make()
        let stores = fixture.stores
        let team = try await stores.makeTeam()
        let sprint = try await stores.makeSprint(of: team)
        let voters = try await stores.makeVoters(6, in: team)
        for voter in voters[..<2] { #expect(try await stores.cast([voter.ballot(in: sprint)])[0].isCounted) }
        // The same number of ballots, but different ones, and a snapshot unknown to this process.
        try await fixture.client.run { database in
            _ = try database.collection("happiness").updateMany(
                ["team": .string("\(team.id)")], ["$set": ["sum": 33, "snapshot.number": 4, "snapshot.count": 0]])
        }
        let before = try await stores.record(of: sprint).state
        #expect(before.current.sum == 33)
        #expect(try await stores.cast([voters[2].ballot(in: sprint, tenths: 7, feedback: "text")])[0].isCounted)
        let state = try await stores.record(of: sprint).state
        #expect(state.current.sum == 40)
        #expect(state.snapshot.sum == 40)
        #expect(state.snapshotNumber == 5)
        #expect(try await fixture.documents(of: "feedback").map { $0["snapshot"]?.intValue } == [5])
    }

    @Test func `Concurrent casts do not wait for each other's queries`() async throws {
        let fixture = try await MongoFixture.make()
        let stores = fixture.stores
        var teams: [(sprint: Sprint, voters: [Voter])] = []
        for _ in 0..<30 {
            let team = try await stores.makeTeam()
            teams.append((try await stores.makeSprint(of: team), try await stores.makeVoters(4, in: team)))
        }
        let all = teams
        for round in 0..<4 {
            // Far more than there are threads for concurrent checks; casts without a free thread check first and write
            // afterwards.
            let outcomes = try await concurrently(all.count) { number in
                try await stores.cast([all[number].voters[round].ballot(in: all[number].sprint)])[0]
            }
            #expect(outcomes.allSatisfy { $0 == .counted(mayComplete: round == 3) })
        }
        for team in all { #expect(try await stores.record(of: team.sprint).state.current.count == 4) }
    }

    private static func twoProcesses() async throws -> (Stores, Stores) {
        let fixture = try await MongoFixture.make()
        let uri = try await MongoServer.shared.uri(database: fixture.databaseName)
        return (fixture.stores, try StoreLocation.mongodb(uri: uri).open())
    }
}
