import Domain
import Foundation
import Storage
import TestSupport
import Testing

/// Two API processes on one MongoDB.
@Suite struct TwoProcessesTests {
    @Test func `A vote is seen by both processes, and a log-out ends the session on both`() async throws {
        try await Installation.with(.mongodb) { installation in
            try await installation.withStores { stores in
                let team = try await VotingTeam.make(3, in: stores, settings: TeamSettings(policy: .immediate))
                let (first, firstURL) = try await installation.serve()
                let (second, secondURL) = try await installation.serve()
                let sprint = try await team.runningSprint(at: firstURL)
                let voter = team.voters[0]
                let history = "\(secondURL)/api/v1/teams/\(team.id)/sprints"
                #expect(try await HTTPProbe.get(history, token: voter.token).text.contains(#""publication":null"#))

                #expect(try await team.vote(voter, at: firstURL, sprint: sprint.label).status == 201)
                try await eventually("the other process shows the vote", within: .seconds(15)) {
                    try await HTTPProbe.get(history, token: voter.token).text.contains(#""votes":1"#)
                }
                #expect(try await team.vote(voter, at: secondURL, sprint: sprint.label).status == 409)

                #expect(try await HTTPProbe.get("\(secondURL)/api/v1/ping", token: voter.token).status == 204)
                let logOut = try await HTTPProbe.post("\(firstURL)/api/v1/auth/logout", token: voter.token, json: "{}")
                #expect(logOut.status == 204)
                #expect(try await HTTPProbe.get("\(firstURL)/api/v1/ping", token: voter.token).status == 401)
                try await eventually("the session ends on the other process", within: .seconds(15)) {
                    try await HTTPProbe.get("\(secondURL)/api/v1/ping", token: voter.token).status == 401
                }
                try await first.kill()
                try await second.kill()
            }
        }
    }

    @Test func `Fifty clients on two processes are counted exactly`() async throws {
        try await Installation.with(.mongodb) { installation in
            try await installation.withStores { stores in
                let team = try await VotingTeam.make(100, in: stores)
                let (first, firstURL) = try await installation.serve()
                let (second, secondURL) = try await installation.serve()
                let sprint = try await team.runningSprint(at: firstURL)
                // Every member votes through both at once.
                let statuses = try await withThrowingTaskGroup { group in
                    for voter in team.voters {
                        for url in [firstURL, secondURL] {
                            group.addTask { try await team.vote(voter, at: url, sprint: sprint.label).status }
                        }
                    }
                    return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
                }
                // The last ones may arrive when all have voted and the sprint is closed: 422.
                #expect(
                    statuses[201] == 100 && statuses[409, default: 0] + statuses[422, default: 0] == 100, "\(statuses)")
                let tally = try #require(try await stores.sprint(sprint.key)).state.current
                #expect(tally.count == 100)
                #expect(tally.sum == team.voters.reduce(0) { $0 + $1.tenths })
                try await first.kill()
                try await second.kill()
            }
        }
    }
}
