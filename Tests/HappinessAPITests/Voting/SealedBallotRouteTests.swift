import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Ports
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// The way of a sealed ballot through the API: key, paper, ballot.
@Suite struct SealedBallotRouteTests {
    @Test func `A sealed ballot is counted once, without a log-in`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let ballot = try await app.sealedBallot(of: team.lead, in: team)
            #expect(try await app.tally(of: team)?.count == 0)
            let first = try await app.post("/api/v1/ballots", json: ballot)
            #expect(first.status == .created && first.text == #"{"counted":true}"#)
            let again = try await app.post("/api/v1/ballots", json: ballot)
            expectRejection(again, 409)
            #expect(again.object["type"] as? String == "/api#already-counted")
            let tally = try await app.tally(of: team)
            #expect(tally?.count == 1 && tally?.sum == 55)
        }
    }

    @Test(.thorough) func `The key is the same bytes for everyone, with and without a log-in`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            // All of them at once: the first one creates the key.
            let keys = try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    group.addTask {
                        try await app.get(
                            "\(team.path)/sprints/2026/2/ballot-key", token: team.members[number % 3].token
                        ).text
                    }
                }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(Set(keys).count == 1)
            let id = try await app.ballotKey(of: team).id
            let anonymous = try await app.get("/api/v1/ballot-keys/\(id)")
            #expect(anonymous.text == keys[0])
            #expect(anonymous.headers[.cacheControl]?.contains("immutable") == true)
            expectRejection(try await app.get("\(team.path)/sprints/2026/2/ballot-key"), 401)
            let stranger = try await app.makeTeam("Elsewhere", members: 1)
            expectRejection(
                try await app.get("\(team.path)/sprints/2026/2/ballot-key", token: stranger.lead.token), 404)
            for unknown in [String(repeating: "0", count: 64), "0", "%00"] {
                expectRejection(try await app.get("/api/v1/ballot-keys/\(unknown)"), unknown == "%00" ? 400 : 404)
            }
        }
    }

    @Test func `Anybody gets the key of a sprint without a log-in, and at once the same one`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            try await app.startSprint(of: team)
            let path = Self.keyPath(of: team)
            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<20 { group.addTask { try await app.get(path).text } }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(Set(answers).count == 1)
            let response = try await app.get(path)
            #expect(response.status == .ok && response.text == answers[0])
            #expect(Set(response.object.keys) == ["id", "publicKey"])
            #expect(response.headers[.cacheControl] == "no-store" && response.headers[.setCookie] == nil)
            // Nobody gets another key by logging in, and clients of 0.1.0 get no other one.
            #expect(try await app.get(path, token: team.lead.token).text == answers[0])
            let old = try await app.get("\(team.path)/sprints/2026/2/ballot-key", token: team.lead.token)
            #expect(old.text == answers[0])
            let id = try #require(response.object["id"] as? String)
            #expect(try await app.get("/api/v1/ballot-keys/\(id)").text == answers[0])
        }
    }

    @Test func `A closed sprint still shows the public half of its key, and gets none any more`() async throws {
        try await TestApp.with { app in
            let (team, other) = (try await app.makeTeam(members: 3), try await app.makeTeam("Elsewhere", members: 3))
            for one in [team, other] { try await app.startSprint(of: one) }
            let before = try await app.get(Self.keyPath(of: team))
            #expect(before.status == .ok)
            for one in [team, other] {
                let sprint = try #require(try await app.stores.latestSprint(of: one.id)).sprint
                #expect(try await app.stores.ballots.close(sprint.key))
            }
            #expect(try await app.get(Self.keyPath(of: team)).text == before.text)
            let sprint = try #require(try await app.stores.latestSprint(of: team.id)).sprint
            #expect(try #require(try await app.stores.ballotKeys.key(of: sprint.key)).wrappedPrivateKey == nil)
            expectRejection(try await app.get(Self.keyPath(of: other)), 404)
        }
    }

    @Test func `What has no key looks the same, whatever is missing, and no sprint is started for it`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let unstarted = try await app.get(Self.keyPath(of: team))
            #expect(try await app.stores.latestSprint(of: team.id) == nil)
            try await app.startSprint(of: team)
            #expect(try await app.get(Self.keyPath(of: team)).status == .ok)
            let nobodys = String(repeating: "0", count: 32)
            let unknown = [
                "\(nobodys)/2026/2", "0/2026/2", "\(team.id)/2026/1", "\(team.id)/2026/02", "\(team.id)/2026/2b",
                "\(team.id)/2026/100", "\(team.id)/0/2", "\(team.id)/x/y",
            ]
            for path in unknown {
                let response = try await app.get("/api/v1/sprint-ballot-keys/\(path)")
                expectRejection(response, 404)
                #expect(response.text == unstarted.text, "\(path)")
                #expect(response.headers.map(\.name) == unstarted.headers.map(\.name), "\(path)")
            }
            #expect(unstarted.object["type"] as? String == "/api#no-such-ballot-key")
        }
    }

    /// What the vote page and the command send: JSON, then blanks.
    @Test func `A padded ballot is counted, up to the longest text and from every origin`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 4)
            // Sixteen bytes a character, once they are composed: the most that is accepted.
            let character = "e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}\u{308}"
            let cases: [(origin: String?, text: String)] = [
                (nil, "Calm."), ("null", String(repeating: character, count: 2_000)),
                ("https://elsewhere.example.org", ""),
            ]
            for (member, (origin, text)) in zip(team.members, cases) {
                let unfinished = try await app.sealedBallot(of: member, in: team).dropLast()
                let ballot = String(unfinished) + #","feedback":"\#(text)"}"#
                let body = ballot + String(repeating: " ", count: 4_096 - ballot.utf8.count % 4_096)
                #expect(body.utf8.count % 4_096 == 0)
                var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-cache"]
                headers[.origin] = origin
                let response = try await app.send(
                    .post, "/api/v1/ballots", headers: headers, body: ByteBuffer(string: body))
                #expect(response.status == .created, "\(response.text)")
            }
            #expect(try await app.tally(of: team)?.count == 3)
        }
    }

    @Test func `A member gets one paper, and the same answer again`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let paper = try BlindedPaper(publicKey: try await app.ballotKey(of: team).publicKey)
            let first = try await app.issue(paper, to: team.lead, in: team)
            #expect(first.status == .created)
            #expect(try await app.issue(paper, to: team.lead, in: team).text == first.text)
            let other = try BlindedPaper(publicKey: try await app.ballotKey(of: team).publicKey)
            expectRejection(try await app.issue(other, to: team.lead, in: team), 409)
            expectRejection(try await app.vote(team.lead, in: team), 409)
            let sprint = try await app.get("\(team.path)/sprints/current", token: team.lead.token)
            #expect(sprint.object["hasVoted"] as? Bool == true)
        }
    }

    @Test func `A member who has voted gets no paper, nor does anyone outside the team`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let paper = try BlindedPaper(publicKey: try await app.ballotKey(of: team).publicKey)
            #expect(try await app.vote(team.lead, in: team).status == .created)
            expectRejection(try await app.issue(paper, to: team.lead, in: team), 409)
            let stranger = try await app.makeTeam("Elsewhere", members: 1)
            expectRejection(try await app.issue(paper, to: stranger.lead, in: team), 404)
            let path = "\(team.path)/sprints/2026/2/ballot-papers"
            expectRejection(try await app.post(path, json: #"{"blindedMessage":""}"#), 401)
            let short = try await app.post(path, token: team.members[1].token, json: #"{"blindedMessage":"AAAA"}"#)
            expectRejection(short, 422)
            let above = Data(repeating: 0xff, count: 256).base64URL
            let large = try await app.post(path, token: team.members[1].token, json: #"{"blindedMessage":"\#(above)"}"#)
            expectRejection(large, 422)
            #expect(try await app.issue(paper, to: team.members[1], in: team).status == .created)
        }
    }

    @Test func `A forged paper, a foreign key and a log-in are refused, and nothing is stored`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let other = try await app.makeTeam("Elsewhere", members: 3)
            let ballot = try await app.sealedBallot(of: team.lead, in: team)
            let foreign = try await app.ballotKey(of: other).id
            let own = try await app.ballotKey(of: team).id
            let forged = Data(repeating: 1, count: 256).base64URL
            let paper = try BallotPaper.random().bytes.base64URL
            func rejection(_ body: String) async throws -> TestResponse {
                try await app.post("/api/v1/ballots", json: body)
            }
            expectRejection(try await rejection(ballot.replacingOccurrences(of: own, with: foreign)), 422)
            expectRejection(
                try await rejection(
                    #"{"key":"\#(own)","paper":"\#(paper)","signature":"\#(forged)","happiness":7}"#), 422)
            expectRejection(
                try await rejection(#"{"key":"\#(own)","paper":"AAAA","signature":"\#(forged)","happiness":7}"#), 422)
            expectRejection(try await rejection(ballot.replacingOccurrences(of: own, with: "unknown")), 404)
            expectRejection(try await rejection(ballot.replacingOccurrences(of: "5.5", with: "10.5")), 422)
            expectRejection(try await rejection("{}"), 400)
            expectRejection(try await rejection(ballot + String(repeating: " ", count: 70_000)), 413)
            let named = try await app.post("/api/v1/ballots", token: team.lead.token, json: ballot)
            #expect(named.object["type"] as? String == "/api#ballot-with-log-in")
            expectRejection(named, 400)
            #expect(try await app.tally(of: team)?.count == 0)
            #expect(try await app.tally(of: other)?.count ?? 0 == 0)
            #expect(try await app.post("/api/v1/ballots", json: ballot).status == .created)
        }
    }

    @Test func `A team that counts sealed ballots only says where to vote`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3, settings: TeamSettings(ballots: .sealed))
            let plain = try await app.vote(team.lead, in: team)
            expectRejection(plain, 422)
            #expect(plain.object["type"] as? String == "/api#sealed-ballots-only")
            let place = "\(team.pagePath)/vote"
            #expect((plain.object["detail"] as? String)?.hasSuffix(place) == true)
            let classic = try await app.post(
                "/happiness/track", token: team.lead.token, json: #"{"happiness":7,"sprint":"2026/2"}"#)
            #expect(classic.status.code >= 400 && classic.text.replacing(#"\/"#, with: "/").contains(place))
            let browser = try await app.browser(of: team.lead.user)
            let token = try await browser.formToken(on: place)
            let page = try await browser.post(
                team.plainVotePath, form: "formToken=\(token)&sprint=2026/2&happiness=7&feedback=Calm")
            expectPage(page, 422, saying: "Your team only counts sealed votes, and this one wasn’t.")
            #expect(page.text.contains(#"href="\#(place)""#))
            // It was not even read, so it is rejected whatever it says.
            #expect(!page.text.contains("Calm"))
            expectPage(try await browser.post(team.plainVotePath, form: "%"), 422)

            let ballot = try await app.sealedBallot(of: team.lead, in: team)
            #expect(try await app.post("/api/v1/ballots", json: ballot).status == .created)
            let sprint = try await app.get("\(team.path)/sprints/current", token: team.lead.token).object
            #expect((sprint["sprint"] as? [String: Any])?["ballots"] as? String == "sealed")
        }
    }

    @Test func `The number of sealed ballots is told after the close, and none below k`() async throws {
        try await TestApp.with { app in
            for (sealed, told) in [(3, 3), (2, nil), (6, 6)] {
                let team = try await app.makeTeam("Blue\(sealed)", members: 6)
                for member in team.members.prefix(sealed) {
                    let ballot = try await app.sealedBallot(of: member, in: team)
                    #expect(try await app.post("/api/v1/ballots", json: ballot).status == .created)
                }
                for member in team.members.dropFirst(sealed) { _ = try await app.vote(member, in: team) }
                let response = try await app.get("\(team.path)/sprints/2026/2", token: team.lead.token).object
                let sprint = try #require(response["sprint"] as? [String: Any])
                #expect(sprint["state"] as? String == "closed")
                let publication = try #require(sprint["publication"] as? [String: Any])
                #expect(publication["votes"] as? Int == 6 && publication["sealed"] as? Int == told)
                let page = try await app.browser(of: team.lead.user).get("\(team.pagePath)/sprints/2026/2").text
                #expect(page.contains("of 6 votes were sealed") == (told == 3))
                #expect(page.contains("All votes were sealed") == (told == 6))
            }
        }
    }

    @Test func `Someone who leaves the team keeps their paper, and a closed sprint takes none`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 4)
            let kept = try await app.sealedBallot(of: team.members[1], in: team)
            let late = try await app.sealedBallot(of: team.members[2], in: team)
            let removal = try await app.send(
                .delete, "\(team.path)/members/\(team.members[1].user.id)", token: team.lead.token)
            #expect(removal.status == .noContent)
            #expect(try await app.post("/api/v1/ballots", json: kept).status == .created)
            let sprint = try #require(try await app.stores.latestSprint(of: team.id))
            #expect(try await app.stores.ballots.close(sprint.sprint.key))
            let refused = try await app.post("/api/v1/ballots", json: late)
            #expect(refused.object["type"] as? String == "/api#sprint-not-open")
            expectRejection(refused, 422)
            // Its answer may have been lost before the close.
            expectRejection(try await app.post("/api/v1/ballots", json: kept), 409)
        }
    }
}

extension SealedBallotRouteTests {
    private static func keyPath(of team: SignedInTeam) -> String { "/api/v1/sprint-ballot-keys/\(team.id)/2026/2" }
}

extension TestApp {
    /// The running one, 2026/2.
    fileprivate func startSprint(of team: SignedInTeam) async throws {
        #expect(try await get("\(team.path)/sprints/current", token: team.lead.token).status == .ok)
    }

    func ballotKey(of team: SignedInTeam) async throws -> (id: String, publicKey: [UInt8]) {
        let response = try await get("\(team.path)/sprints/2026/2/ballot-key", token: team.lead.token).object
        let text = try #require(response["publicKey"] as? String)
        return (try #require(response["id"] as? String), try #require([UInt8](base64URL: text)))
    }

    func issue(
        _ paper: BlindedPaper, to member: SignedInTeam.Member, in team: SignedInTeam
    ) async throws -> TestResponse {
        try await post(
            "\(team.path)/sprints/2026/2/ballot-papers", token: member.token,
            json: #"{"blindedMessage":"\#(paper.blindedMessage.base64URL)"}"#)
    }

    /// Gets a paper for the member.
    /// - Parameter randomness: chosen by the device; `nil` leaves it to the server.
    /// - Returns: their ballot of 5.5, ready to be cast.
    func sealedBallot(
        of member: SignedInTeam.Member, in team: SignedInTeam, randomness: [UInt8]? = nil
    ) async throws -> String {
        let rest = randomness.map { #","randomness":"\#($0.base64URL)""# } ?? ""
        let key = try await ballotKey(of: team)
        let paper = try BlindedPaper(publicKey: key.publicKey)
        let issued = try await issue(paper, to: member, in: team).object
        let response = try #require(issued["blindSignature"] as? String)
        let blind = try #require([UInt8](base64URL: response))
        let signature = try paper.signature(from: blind)
        return """
            {"key":"\(key.id)","paper":"\(paper.paper.bytes.base64URL)","signature":"\(signature.base64URL)",\
            "happiness":5.5\(rest)}
            """
    }
}
