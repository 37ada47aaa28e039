import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// Moves of an installation by an operator.
@Suite(.needsMongod) struct MoveTests {
    @Test func `An installation moves to MongoDB and back, and its votes and log-ins go on`() async throws {
        try await Installation.with(.sqlite) { installation in
            let team = try await installation.withStores { try await VotingTeam.make(4, in: $0) }
            let database = try await MongoServer.shared.uri()
            let file = "sqlite:\(installation.directory.path("new/happiness.sqlite"))"
            let (server, url) = try await installation.serve()
            let sprint = try await team.runningSprint(at: url).label
            for voter in team.voters.prefix(2) {
                #expect(try await team.vote(voter, at: url, sprint: sprint).status == 201)
            }
            let inUse = try await installation.run(.api, "move", "--to", database)
            #expect(inUse.status == 1 && inUse.log.contains("The store is in use"), "\(inUse.log)")
            server.terminate()
            #expect(try await server.untilEnd() == 0)

            let moved = try await installation.run(.api, "move", "--to", "-", input: "\(database)\n")
            #expect(moved.status == 0, "\(moved.log)")
            #expect(moved.output.contains("are the same in both stores"), "\(moved.output)")
            #expect(moved.output.firstMatch(of: /userSprints +2  [0-9a-f]{16}/) != nil, "\(moved.output)")
            let again = try await installation.run(.api, "move", "--to", database)
            #expect(again.status == 1 && again.log.contains("is not empty"), "\(again.log)")

            let (second, there) = try await installation.serve(["DATABASE_URL": database])
            #expect(try await team.vote(team.voters[1], at: there, sprint: sprint).status == 409)
            #expect(try await team.vote(team.voters[2], at: there, sprint: sprint).status == 201)
            second.terminate()
            #expect(try await second.untilEnd() == 0)

            let back = try await installation.run(.api, "move", "--to", file, settings: ["DATABASE_URL": database])
            #expect(back.status == 0, "\(back.log)")
            let (third, here) = try await installation.serve(["DATABASE_URL": file])
            #expect(try await team.vote(team.voters[2], at: here, sprint: sprint).status == 409)
            #expect(try await team.vote(team.voters[3], at: here, sprint: sprint).status == 201)
            third.terminate()
            #expect(try await third.untilEnd() == 0)
            let (count, voted) = try await Self.votes(of: team, sprint, ["DATABASE_URL": file])
            #expect(count == 4 && voted == 4)
            // The first store is as it was left.
            let (before, votedBefore) = try await Self.votes(of: team, sprint, installation.settings)
            #expect(before == 2 && votedBefore == 2)
        }
    }

    @Test func `A target that is no store is refused without repeating it`() async throws {
        try await Installation.with(.sqlite) { installation in
            let refused = try await installation.run(.api, "move", "--to", "mysql://user:hidden@host/happiness")
            #expect(refused.status == 1 && refused.log.contains("--to must be mongodb://"), "\(refused.log)")
            #expect(!refused.log.contains("hidden"))
        }
    }

    @Test(.thorough, arguments: Installation.Store.allCases)
    func `A move that is killed leaves the source, and no program starts on half a copy`(
        source: Installation.Store
    ) async throws {
        try await Installation.with(source) { installation in
            let killing = try await KillAtCall.make(in: installation.directory)
            let team = try await installation.withStores { try await VotingTeam.make(3, in: $0) }
            let target =
                switch source {
                case .sqlite: try await MongoServer.shared.uri()
                case .mongodb: "sqlite:\(installation.directory.path("new/happiness.sqlite"))"
                }
            let there: [String: String?] = ["DATABASE_URL": target]
            var (call, refused) = (1, 0)
            while true {
                let moved = try await installation.run(
                    .api, "move", "--to", target, settings: killing.settings(call: call))
                guard moved.status == -SIGKILL else {
                    #expect(moved.status == 0, "call \(call): \(moved.log)")
                    break
                }
                let unharmed = try await installation.run(.api, "check")
                #expect(unharmed.status == 0, "call \(call): \(unharmed.log)")
                let checked = try await installation.run(.api, "check", settings: there)
                // It was complete.
                if checked.status == 0 { break }
                let reasons = ["began and did not end", "There is no store"]
                #expect(reasons.contains { checked.log.contains($0) }, "call \(call): \(checked.log)")
                refused += 1
                call += call / 2 + 1
            }
            #expect(refused > 0)
            let settings = installation.settings.merging(["DATABASE_URL": target]) { $1 }
            let found = try await Self.stores(settings) { try await $0.team(team.id)?.memberCount }
            #expect(found == 4)
        }
    }

    /// The ballots of a sprint, and the voters who have a receipt.
    private static func votes(
        of team: VotingTeam, _ sprint: SprintLabel, _ settings: [String: String]
    ) async throws -> (count: Int, voted: Int) {
        try await stores(settings) { stores in
            let record = try #require(try await stores.read { try $0.sprint(of: team.id, labelled: sprint) })
            let voted = try await team.counted(in: record.sprint.key, stores: stores)
            return (count: record.state.current.count, voted: voted.count)
        }
    }

    private static func stores<Value>(
        _ settings: [String: String], _ body: (Stores) async throws -> Value
    ) async throws -> Value {
        let secrets = ["JWT_SECRET": Installation.tokenSecret, "BALLOT_SECRET": Installation.receiptSecret]
        let stores = try Settings(values: secrets.merging(settings) { $1 }).store.open()
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(stores))
        } catch {
            result = .failure(error)
        }
        try await stores.system.close()
        return try result.get()
    }
}
