import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ports
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// Casting ballots through the new API.
@Suite struct BallotRouteTests {
    @Test func `A ballot is counted once, and a second one is a conflict`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let first = try await app.vote(team.lead, in: team, 5.5, feedback: "ok")
            #expect(first.status == .created && first.text == #"{"counted":true}"#)
            let second = try await app.vote(team.lead, in: team, 9)
            expectRejection(second, 409)
            #expect(second.object["type"] as? String == "/api#already-voted")
            let tally = try await app.tally(of: team)
            #expect(tally?.count == 1 && tally?.sum == 55)
        }
    }

    @Test func `A trial checks everything and stores nothing`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            func trial(_ sprint: String, _ happiness: String) async throws -> TestResponse {
                try await app.post(
                    "\(team.path)/sprints/\(sprint)/ballots", token: team.lead.token,
                    json: #"{"happiness":\#(happiness),"validateOnly":true}"#)
            }
            let good = try await trial("2026/2", "7")
            #expect(good.status == .ok && good.text == #"{"counted":false}"#)
            expectRejection(try await trial("2026/2", "11"), 422)
            expectRejection(try await trial("2026/1", "7"), 422, saying: "2026/2")
            #expect(try await app.tally(of: team)?.count == 0)
            #expect(try await app.vote(team.lead, in: team).status == .created)
        }
    }

    @Test(arguments: [
        (#"{"happiness":"7"}"#, 400), (#"{"happiness":null}"#, 400), (#"{"happiness":true}"#, 400),
        (#"{"happiness":{"$inc":5}}"#, 400), (#"{"happiness":[7]}"#, 400), (#"{}"#, 400), ("", 400), ("{", 400),
        ("7", 400), ("null", 400), (#"[{"happiness":7}]"#, 400), (#"{"happiness":NaN}"#, 400),
        (#"{"happiness":1e999}"#, 400), (#"{"happiness":7,"feedback":{"text":"a"}}"#, 400),
        (#"{"happiness":7,"feedback":7}"#, 400), (#"{"happiness":7,"feedback":["a"]}"#, 400),
        (#"{"happiness":7,"validateOnly":"yes"}"#, 400), (#"{"happiness":7"#, 400), ("happiness=7", 400),
        (#"{"happiness":-1}"#, 422), (#"{"happiness":10.1}"#, 422), (#"{"happiness":5.55}"#, 422),
        (#"{"happiness":1e300}"#, 422), (#"{"happiness":9.99999999999}"#, 422),
        (#"{"happiness":7,"feedback":"a\u0000b"}"#, 400), (#"{"happiness":7,"feedback":"a\u001bb"}"#, 400),
    ])
    func `An invalid ballot is refused`(body: String, status: Int) async throws {
        try await Self.withVoter { app, team in
            let response = try await app.post("\(team.path)/sprints/2026/2/ballots", token: team.lead.token, json: body)
            expectRejection(response, status, body)
        }
    }

    @Test func `Feedback over two thousand characters is refused`() async throws {
        try await Self.withVoter { app, team in
            let response = try await app.vote(team.lead, in: team, feedback: String(repeating: "é", count: 2_001))
            expectRejection(response, 422, saying: "2000")
        }
    }

    @Test func `A short text of endless combining marks is refused`() async throws {
        try await Self.withVoter { app, team in
            let zalgo = "a" + String(repeating: "\u{0301}", count: 20_000)
            expectRejection(try await app.vote(team.lead, in: team, feedback: zalgo), 422)
        }
    }

    @Test func `Feedback of white space is treated as none`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3, settings: TeamSettings(policy: .immediate))
            #expect(try await app.vote(team.lead, in: team, feedback: " \n\t ").status == .created)
            let shown = try await app.get("\(team.path)/sprints/2026/2", token: team.lead.token)
            #expect((shown.object["feedback"] as? [Any])?.isEmpty == true)
        }
    }

    @Test func `A closed sprint is refused, naming the open one`() async throws {
        try await Self.withVoter { app, team in
            for sprint in ["2026/1", "2026/3", "2019/21", "2026/2b"] {
                let response = try await app.post(
                    "\(team.path)/sprints/\(sprint)/ballots", token: team.lead.token, json: #"{"happiness":7}"#)
                expectRejection(response, 422, saying: "2026/2", sprint)
                #expect(response.object["type"] as? String == "/api#sprint-not-open")
            }
            for sprint in ["2026/02", "x/1", "2026/2/2"] {
                let response = try await app.post(
                    "\(team.path)/sprints/\(sprint)/ballots", token: team.lead.token, json: #"{"happiness":7}"#)
                expectRejection(response, 404, sprint)
            }
        }
    }

    @Test func `A user who votes after everyone else gets a clear refusal`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            for member in team.members { #expect(try await app.vote(member, in: team).status == .created) }
            let late = try await app.makeUser("late")
            try await app.stores.add(Membership(teamID: team.id, userID: late.id))
            let member = SignedInTeam.Member(user: late, token: try await app.token(of: late))
            expectRejection(try await app.vote(member, in: team), 409, saying: "Everyone has voted")
            // Who has voted, nobody knows any more: the first clients hear the same as a newcomer.
            for token in [team.lead.token, member.token] {
                let voted = try await app.get("/happiness/hasVoted?sprint=2026/2", token: token)
                #expect(voted.classic == #"200 {"voted":true}"#)
                let classic = try await app.post(
                    "/happiness/track", token: token, json: #"{"happiness":7,"sprint":"2026/2"}"#)
                #expect(classic.classic == #"400 {"message":"This sprint is over."}"#)
            }
            #expect(try await app.tally(of: team)?.count == 3)
        }
    }

    @Test func `Within the grace period, the previous sprint takes ballots, and only here`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3, settings: TeamSettings(graceDays: 2))
            _ = try await app.get("\(team.path)/sprints/current", token: team.lead.token)
            app.clock.now = TestTeam.firstMonday + 29 * TestTeam.day
            #expect(try await app.vote(team.lead, in: team).status == .created)
            let classic = try await app.post(
                "/happiness/track", token: team.members[1].token, json: #"{"happiness":7,"sprint":"2026/2"}"#)
            #expect(classic.status == .ok, "a neighbour's name means the running sprint")
            let sprints = try await app.stores.sprints(of: team.id, matching: .all)
            #expect(sprints.map(\.state.current.count) == [1, 1])
            app.clock.now = TestTeam.firstMonday + 30 * TestTeam.day
            expectRejection(try await app.vote(team.members[2], in: team), 422, saying: "2026/3")
        }
    }

    @Test func `A wrong type, a large body and invalid UTF-8 are refused`() async throws {
        try await Self.withVoter { app, team in
            let path = "\(team.path)/sprints/2026/2/ballots"
            let json = ByteBuffer(string: #"{"happiness":7}"#)
            let kinds: [HTTPFields] = [
                [:], [.contentType: "text/plain"], [.contentType: "application/x-www-form-urlencoded"],
                [.contentType: "multipart/form-data; boundary=x"],
            ]
            for headers in kinds {
                let response = try await app.send(.post, path, token: team.lead.token, headers: headers, body: json)
                expectRejection(response, 415)
            }
            let huge = #"{"happiness":7,"feedback":"\#(String(repeating: "a", count: 66_000))"}"#
            expectRejection(try await app.post(path, token: team.lead.token, json: huge), 413)
            let deep = #"{"happiness":\#(String(repeating: "[", count: 30_000))"#
            expectRejection(try await app.post(path, token: team.lead.token, json: deep), 400)
            var broken = ByteBuffer(string: #"{"happiness":7,"feedback":""#)
            broken.writeBytes([0xff, 0xc0, 0x80])
            broken.writeString(#""}"#)
            let response = try await app.send(
                .post, path, token: team.lead.token, headers: [.contentType: "application/json"], body: broken)
            expectRejection(response, 400)
        }
    }

    @Test func `Two hundred requests of one user at once count once`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let statuses = try await withThrowingTaskGroup { group in
                for number in 0..<200 {
                    group.addTask {
                        let response =
                            number.isMultiple(of: 2)
                            ? try await app.vote(team.lead, in: team)
                            : try await app.post(
                                "/happiness/track", token: team.lead.token, form: "happiness=7&sprint=2026/2")
                        return response.status.code
                    }
                }
                return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect((statuses[200] ?? 0) + (statuses[201] ?? 0) == 1, "\(statuses)")
            #expect((statuses[400] ?? 0) + (statuses[409] ?? 0) == 199, "\(statuses)")
            #expect(try await app.tally(of: team)?.count == 1)
        }
    }

    @Test(.thorough) func `Five hundred users at once give the exact count and sum`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 501)
            let voters = Array(team.members.dropFirst())
            let refused = try await withThrowingTaskGroup { group in
                for (number, member) in voters.enumerated() {
                    group.addTask { try await app.vote(member, in: team, Double(number % 101) / 10).status != .created }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(refused == 0)
            let tally = try await app.tally(of: team)
            #expect(tally?.count == 500)
            #expect(tally?.sum == (0..<500).reduce(0) { $0 + $1 % 101 })
        }
    }

    /// Runs `body` with a team whose lead may vote, and checks that no ballot was cast and they may still vote.
    private static func withVoter(_ body: @Sendable (TestApp, SignedInTeam) async throws -> Void) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2, settings: TeamSettings(policy: .immediate))
            try await body(app, team)
            #expect(try await app.tally(of: team)?.count ?? 0 == 0)
            let shown = try await app.get("\(team.path)/sprints/2026/2", token: team.lead.token)
            #expect(shown.text.contains(#""feedback":[]"#), "\(shown.text)")
            #expect(try await app.vote(team.lead, in: team).status == .created, "a refused voter may still vote")
        }
    }
}
