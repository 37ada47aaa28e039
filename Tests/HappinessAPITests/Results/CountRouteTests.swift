import Commitments
import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import Storage
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

        let address: String
        let votes: Int
        let sum: Int
        let randomness: String
        let commitments: [String]
        let members: Int
        let papers: Papers?

        func isOpened() throws -> Bool {
            let commitments = try commitments.map { Commitment(stored: try #require([UInt8](base64URL: $0))) }
            let randomness = try #require([UInt8](base64URL: randomness).flatMap { BlindingFactor($0) })
            return commitments.count == votes && commitments == commitments.sorted()
                && Commitment.areOpened(commitments, by: sum, randomness: randomness)
        }
    }

    /// What everybody with the address reads.
    private struct List: Decodable {
        struct Papers: Decodable {
            let issued: Int
            let spent: [Paper]
        }

        struct Paper: Decodable, Hashable {
            let paper: String?
            let signature: String?
            let hash: String?
        }

        let team: String
        let sprint: String
        let votes: Int
        let sum: Int
        let randomness: String
        let members: Int
        let key: String?
        let papers: Papers?
        let commitments: [String]
    }

    private func list(at address: String, in app: TestApp) async throws -> List {
        let response = try await app.get(address)
        #expect(response.status == .ok, "\(response.text)")
        return try JSONDecoder().decode(List.self, from: Data(response.text.utf8))
    }

    private func count(of team: SignedInTeam, in app: TestApp) async throws -> Count {
        let response = try await app.get("\(team.path)/sprints/2026/2/count", token: team.lead.token)
        #expect(response.status == .ok, "\(response.text)")
        return try JSONDecoder().decode(Count.self, from: Data(response.text.utf8))
    }

    @Test func `The sum of all commitments is opened, and a device finds its own`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 6)
            let randomness = BlindingFactor.random()
            for (number, member) in team.members.prefix(3).enumerated() {
                let ballot = try await app.sealedBallot(
                    of: member, in: team, randomness: number == 0 ? randomness.bytes : nil)
                #expect(try await app.post("/api/v1/ballots", json: ballot).status == .created)
            }
            let running = try await app.get("\(team.path)/sprints/2026/2/count", token: team.lead.token)
            expectRejection(running, 404)
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

    @Test func `Everybody with the address reads the same list, with the papers that were sent`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            var sent: Set<List.Paper> = []
            for member in team.members {
                let ballot = try await app.sealedBallot(of: member, in: team)
                sent.insert(try JSONDecoder().decode(List.Paper.self, from: Data(ballot.utf8)))
                #expect(try await app.post("/api/v1/ballots", json: ballot).status == .created)
            }
            var addresses: Set<String> = []
            for member in team.members {
                let response = try await app.get("\(team.path)/sprints/2026/2/count", token: member.token).object
                addresses.insert(try #require(response["address"] as? String))
            }
            let address = try #require(addresses.first)
            #expect(addresses.count == 1)

            let list = try await list(at: address, in: app)
            let count = try await count(of: team, in: app)
            #expect(list.team == team.id.description && list.sprint == "2026/2")
            #expect(list.votes == 3 && list.sum == 165 && list.members == 3)
            #expect(list.randomness == count.randomness && list.commitments == count.commitments)
            let papers = try #require(list.papers)
            #expect(papers.issued == 3 && Set(papers.spent) == sent)

            let key = try #require(list.key.flatMap { [UInt8](base64URL: $0) })
            let listed = try papers.spent.map { one in
                let paper = try #require(one.paper.flatMap { [UInt8](base64URL: $0) })
                return SecureBytes.sha256(SecureBytes.sha256(key) + paper).base64URL
            }
            #expect(listed == count.papers?.spent)

            let page = try await app.browser(of: team.lead.user).get("\(team.pagePath)/sprints/2026/2").text
            let token = try #require(address.split(separator: "/").last)
            #expect(page.contains("data-token=\"\(token)\""))
        }
    }

    @Test func `Where the papers are not told, the list has none`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 5)
            for member in team.members.prefix(2) {
                let ballot = try await app.sealedBallot(of: member, in: team)
                #expect(try await app.post("/api/v1/ballots", json: ballot).status == .created)
            }
            for member in team.members.dropFirst(2) { _ = try await app.vote(member, in: team) }
            let response = try await app.get(try await count(of: team, in: app).address)
            #expect(response.object["papers"] is NSNull && response.object["key"] is String)
            #expect(!response.text.contains("signature"))
        }
    }

    @Test func `A wrong token, an unknown team and an unknown sprint have the same answer`() async throws {
        try await TestApp.with { app in
            let (team, other) = (
                try await app.makeTeam(members: 3), try await app.makeTeam("Other", members: 3)
            )
            for member in team.members { _ = try await app.vote(member, in: team) }
            for member in other.members { _ = try await app.vote(member, in: other) }
            let address = try await count(of: team, in: app).address
            let token = try #require(address.split(separator: "/").last)
            let foreign = try #require(try await count(of: other, in: app).address.split(separator: "/").last)
            #expect(token.count == 22 && token != foreign)
            #expect(try await app.get(address).status == .ok)

            let changed = (token.hasPrefix("A") ? "B" : "A") + String(token.dropFirst())
            var answers: Set<String> = []
            for wrong in [
                "\(team.id)/2026/2/\(changed)", "\(team.id)/2026/2/\(foreign)", "\(team.id)/2026/2/\(token)A",
                "\(team.id)/2026/2/x", "\(Team.ID.random())/2026/2/\(token)", "\(team.id)/2025/1/\(token)",
                "x/2026/2/\(token)", "\(team.id)/x/2/\(token)", "\(other.id)/2026/2/\(token)",
            ] {
                let response = try await app.get("/api/v1/counts/\(wrong)")
                expectRejection(response, 404)
                #expect(response.object["type"] as? String == "/api#no-such-count", "\(wrong)")
                answers.insert(response.classic)
            }
            try await app.stores.delete(team.id, at: app.clock.now)
            answers.insert(try await app.get(address).classic)
            #expect(answers.count == 1)
        }
    }

    @Test func `The address of a sprint that is still open has no list yet`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 4)
            for member in team.members.dropFirst() { _ = try await app.vote(member, in: team) }
            let sprint = try #require(try await app.stores.latestSprint(of: team.id)).sprint
            let token = CountToken(secret: app.secrets.ballot, sprint: sprint.key)
            let address = "/api/v1/counts/\(team.id)/\(sprint.label)/\(token)"
            let running = try await app.get(address)
            #expect(running.object["type"] as? String == "/api#count-not-checkable")
            _ = try await app.vote(team.lead, in: team)
            #expect(try await list(at: address, in: app).votes == 4)
        }
    }

    @Test func `No line of the log contains the token`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            for member in team.members { _ = try await app.vote(member, in: team) }
            let address = try await count(of: team, in: app).address
            let token = String(try #require(address.split(separator: "/").last))
            _ = try await app.get(address)
            _ = try await app.get(address + "x")
            #expect(app.log.text.contains("/api/v1/counts/{team}/{year}/{number}/{token}"))
            #expect(!app.log.text.contains(token) && !app.log.text.contains(team.id.description))
        }
    }

    @Test func `Only members may check a count`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            for member in team.members { _ = try await app.vote(member, in: team) }
            let other = try await app.makeTeam("Other", members: 3)
            let path = "\(team.path)/sprints/2026/2/count"
            expectRejection(try await app.get(path, token: other.lead.token), 404)
            expectRejection(try await app.get(path), 401)
            expectRejection(try await app.get("\(team.path)/sprints/2025/1/count", token: team.lead.token), 404)
            #expect(try await count(of: team, in: app).isOpened())
        }
    }

    @Test func `A count with votes of an older version cannot be checked, and says so`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            for member in team.members { _ = try await app.vote(member, in: team) }
            let sprint = try #require(try await app.stores.latestSprint(of: team.id)).sprint
            let past = Sprint(
                teamID: team.id, start: sprint.start - 14 * 86_400, end: sprint.start, closes: sprint.start,
                label: SprintLabel(year: 2026, number: 1), threshold: 3, policy: .live)
            var state = PublicationState.initial
            state.count(
                Array(repeating: try Happiness(tenths: 70), count: 3), policy: .live, threshold: 3)
            state.close(policy: .live, threshold: 3)
            try await app.stores.importSprints([SprintRecord(sprint: past, state: state, eligible: 3)])
            let response = try await app.get("\(team.path)/sprints/2026/1/count", token: team.lead.token)
            expectRejection(response, 404)
            #expect(response.object["type"] as? String == "/api#count-not-checkable")
        }
    }

    @Test func `A blinding factor that is not valid is refused`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let invalid = [Array(repeating: UInt8(0), count: 32), Array(repeating: 255, count: 32), [1, 2, 3]]
            for (member, bytes) in zip(team.members, invalid) {
                let ballot = try await app.sealedBallot(of: member, in: team, randomness: bytes)
                let response = try await app.post("/api/v1/ballots", json: ballot)
                expectRejection(response, 422)
                #expect(response.object["type"] as? String == "/api#randomness-not-valid")
            }
        }
    }
}
