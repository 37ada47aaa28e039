import Commitments
import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import TestSupport
import Testing

@testable import HappinessAPI

/// The count of a sprint that is over, which anybody can check.
@Suite struct CountRouteTests {
    private struct Count: Decodable {
        struct Papers: Decodable {
            let issued: Int
            let counted: Int
            let spent: [String]
        }

        let votes: Int
        let sum: Int
        let randomness: String
        let commitments: [String]
        let members: Int
        let papers: Papers?

        func isOpened() throws -> Bool {
            let commitments = try commitments.map { Commitment(stored: try #require([UInt8](base64URL: $0))) }
            let randomness = try #require([UInt8](base64URL: randomness).flatMap { Randomness($0) })
            return commitments.count == votes && commitments == commitments.sorted()
                && Commitment.areOpened(commitments, by: sum, randomness: randomness)
        }
    }

    private func count(of team: SignedInTeam, in app: TestApp) async throws -> Count {
        let answer = try await app.get("\(team.path)/sprints/2026/2/count", token: team.lead.token)
        #expect(answer.status == .ok, "\(answer.text)")
        return try JSONDecoder().decode(Count.self, from: Data(answer.text.utf8))
    }

    @Test func `The sum of all commitments is opened, and a device finds its own`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 6)
            let randomness = Randomness.random()
            for (number, member) in team.members.prefix(3).enumerated() {
                let ballot = try await app.sealedBallot(
                    of: member, in: team, randomness: number == 0 ? randomness.bytes : nil)
                #expect(try await app.post("/api/v1/ballots", json: ballot).status == .created)
            }
            let running = try await app.get("\(team.path)/sprints/2026/2/count", token: team.lead.token)
            expectRefusal(running, 404)
            #expect(running.object["type"] as? String == "/api#count-not-checkable")
            for member in team.members.dropFirst(3) { _ = try await app.vote(member, in: team) }

            let count = try await count(of: team, in: app)
            #expect(try count.isOpened())
            #expect(count.votes == 6 && count.members == 6)
            let tally = try #require(try await app.tally(of: team))
            #expect(count.sum == tally.sum)
            #expect(count.commitments.contains(Commitment(to: 55, with: randomness).bytes.base64URL))
            let papers = try #require(count.papers)
            #expect(papers.issued == 3 && papers.counted == 3 && Set(papers.spent).count == 3)
        }
    }

    @Test func `The papers of fewer than k sealed ballots are not told`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 5)
            for member in team.members.prefix(2) {
                let ballot = try await app.sealedBallot(of: member, in: team)
                #expect(try await app.post("/api/v1/ballots", json: ballot).status == .created)
            }
            for member in team.members.dropFirst(2) { _ = try await app.vote(member, in: team) }
            let count = try await count(of: team, in: app)
            #expect(try count.isOpened())
            #expect(count.papers == nil)
        }
    }

    @Test func `Only members may check a count`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            for member in team.members { _ = try await app.vote(member, in: team) }
            let other = try await app.makeTeam("Other", members: 3)
            let path = "\(team.path)/sprints/2026/2/count"
            expectRefusal(try await app.get(path, token: other.lead.token), 404)
            expectRefusal(try await app.get(path), 401)
            expectRefusal(try await app.get("\(team.path)/sprints/2025/1/count", token: team.lead.token), 404)
            #expect(try await count(of: team, in: app).isOpened())
        }
    }

    @Test func `A count with votes of an older version cannot be checked, and says so`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            for member in team.members { _ = try await app.vote(member, in: team) }
            let sprint = try #require(try await app.stores.sprints.latest(teamID: team.id)).sprint
            let past = Sprint(
                teamID: team.id, start: sprint.start - 14 * 86_400, end: sprint.start, closes: sprint.start,
                label: SprintLabel(year: 2026, number: 1), threshold: 3, policy: .live)
            var state = PublicationState.initial
            state.count(
                Array(repeating: try Happiness(tenths: 70), count: 3), policy: .live, threshold: 3)
            state.close(policy: .live, threshold: 3)
            try await app.stores.sprints.importClosed([SprintRecord(sprint: past, state: state, eligible: 3)])
            let answer = try await app.get("\(team.path)/sprints/2026/1/count", token: team.lead.token)
            expectRefusal(answer, 404)
            #expect(answer.object["type"] as? String == "/api#count-not-checkable")
        }
    }

    @Test func `Randomness that is not valid is refused`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let invalid = [Array(repeating: UInt8(0), count: 32), Array(repeating: 255, count: 32), [1, 2, 3]]
            for (member, bytes) in zip(team.members, invalid) {
                let ballot = try await app.sealedBallot(of: member, in: team, randomness: bytes)
                let answer = try await app.post("/api/v1/ballots", json: ballot)
                expectRefusal(answer, 422)
                #expect(answer.object["type"] as? String == "/api#randomness-not-valid")
            }
        }
    }
}
