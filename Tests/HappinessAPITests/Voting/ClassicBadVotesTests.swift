import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import TestSupport
import Testing

@testable import HappinessAPI

/// Invalid votes of the first clients, and the messages they get.
@Suite struct ClassicBadVotesTests {
    @Test(arguments: ["11", "-1", "10.1", "5.55", "abc", "", "NaN", "1e999", "true", "7,5", "0x7"])
    func `A form with a value outside zero to ten gets the incorrect happiness error`(value: String) async throws {
        try await Self.withVoter { app, token in
            let response = try await app.post(
                "/happiness/track", token: token, form: "happiness=\(value)&sprint=2026%2F2")
            #expect(response.classic == #"400 {"message":"Incorrect Happiness"}"#)
        }
    }

    @Test(arguments: ["11", "-1", "10.1", "5.55", #""abc""#, #""11""#, #""""#, "true", "null", "{}", "[7]", "1e300"])
    func `JSON with a value outside zero to ten gets the incorrect happiness error`(value: String) async throws {
        try await Self.withVoter { app, token in
            let body = #"{"happiness":\#(value),"sprint":"2026/2"}"#
            let response = try await app.post("/happiness/track", token: token, json: body)
            #expect(response.classic == #"400 {"message":"Incorrect Happiness"}"#)
        }
    }

    @Test(arguments: [
        #"{"happiness":NaN,"sprint":"2026/2"}"#, #"{"happiness":1e999,"sprint":"2026/2"}"#, #"{"sprint":"2026/2"}"#,
        #"{"happiness":7}"#, #"{"happiness":7,"sprint":2026}"#, #"{"happiness":7,"sprint":{"$gt":""}}"#,
        #"{"happiness":7,"sprint":null}"#, #"{"happiness":7,"sprint":"2026/02"}"#, #"{"happiness":7,"sprint":""}"#,
        #"{"happiness":7,"sprint":"2020/3"}"#, #"{"happiness":7,"sprint":"2026/2","feedback":{"a":1}}"#,
        #"{"happiness":7,"sprint":"2026/2","feedback":["a"]}"#, #"{"happiness":7,"sprint":"2026/2","feedback":7}"#,
        #"{"happiness":7,"sprint":"2026/2","feedback":"a\u0000b"}"#, #"{"happiness":7,"sprint":"2026/2""#, "", "7",
        #"[{"happiness":7,"sprint":"2026/2"}]"#, "null", "happiness=7&sprint=2026/2",
    ])
    func `Invalid JSON gives 400`(body: String) async throws {
        try await Self.withVoter { app, token in
            expectRejection(try await app.post("/happiness/track", token: token, json: body), 400, classic: true, body)
        }
    }

    @Test(arguments: [
        "happiness=7", "sprint=2026/2", "", "happiness=7&sprint=2020/3", "happiness=7&sprint=2026/02",
        "happiness=7&sprint=2026%2F2&feedback=a%00b", "happiness=7&sprint=2026%2F2&feedback=%FF%FE", "%%%", "&&&=",
        "happiness[a]=7&sprint=2026/2", #"{"happiness":7,"sprint":"2026/2"}"#,
    ])
    func `An invalid form gives 400`(body: String) async throws {
        try await Self.withVoter { app, token in
            expectRejection(try await app.post("/happiness/track", token: token, form: body), 400, classic: true, body)
        }
    }

    @Test func `A closed sprint is refused, naming the open one`() async throws {
        try await Self.withVoter { app, token in
            let response = try await app.post(
                "/happiness/track", token: token, json: #"{"happiness":7,"sprint":"2020/3"}"#)
            expectRejection(response, 400, classic: true, saying: "2026/2")
        }
    }

    @Test func `Feedback over two thousand characters is refused`() async throws {
        try await Self.withVoter { app, token in
            let tooLong = String(repeating: "ä", count: 2_001)
            let response = try await app.post(
                "/happiness/track", token: token,
                json: #"{"happiness":7,"sprint":"2026/2","feedback":"\#(tooLong)"}"#)
            expectRejection(response, 400, classic: true, saying: "2000")
        }
    }

    @Test func `Feedback of two thousand characters of any kind is accepted`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let longest = String(repeating: "👩‍👧", count: 1_000) + String(repeating: "ä", count: 1_000)
            let encoded = try #require(longest.addingPercentEncoding(withAllowedCharacters: []))
            let response = try await app.post(
                "/happiness/track", token: team.lead.token,
                json: #"{"happiness":7,"sprint":"2026/2","feedback":"\#(longest)"}"#)
            #expect(response.status == .ok, "\(response.text)")
            let form = try await app.post(
                "/happiness/track", token: team.members[1].token,
                form: "happiness=7&sprint=2026%2F2&feedback=\(encoded)")
            #expect(form.status == .ok, "\(form.text)")
        }
    }

    @Test func `Invalid UTF-8 gives 400`() async throws {
        try await Self.withVoter { app, token in
            var body = ByteBuffer(string: #"{"happiness":7,"sprint":"2026/2","feedback":""#)
            body.writeBytes([0xc3, 0x28, 0xff])
            body.writeString(#""}"#)
            let response = try await app.send(
                .post, "/happiness/track", token: token, headers: [.contentType: "application/json"], body: body)
            expectRejection(response, 400, classic: true)
        }
    }

    @Test func `A body over the limit gives 413, and another type gives 415`() async throws {
        try await Self.withVoter { app, token in
            let huge = #"{"happiness":7,"sprint":"2026/2","feedback":"\#(String(repeating: "a", count: 70_000))"}"#
            expectRejection(try await app.post("/happiness/track", token: token, json: huge), 413, classic: true)
            let kinds: [HTTPFields] = [[:], [.contentType: "text/plain"], [.contentType: "application/jsonx"]]
            for headers in kinds {
                let response = try await app.send(
                    .post, "/happiness/track", token: token, headers: headers,
                    body: ByteBuffer(string: #"{"happiness":7,"sprint":"2026/2"}"#))
                expectRejection(response, 415, classic: true)
            }
        }
    }

    @Test(arguments: ["", "?sprint=", "?sprint=x", "?sprint=2026/02", "?sprint=%ZZ", "?other=2026/2"])
    func `Asking whether one has voted gives 400 without a sprint`(query: String) async throws {
        try await Self.withVoter { app, token in
            expectRejection(try await app.get("/happiness/hasVoted\(query)", token: token), 400, classic: true, query)
        }
    }

    @Test func `Nobody has voted in a sprint that never was`() async throws {
        try await Self.withVoter { app, token in
            let response = try await app.get("/happiness/hasVoted?sprint=2019/21", token: token)
            #expect(response.classic == #"200 {"voted":false}"#)
        }
    }

    @Test(arguments: ["x", "20x6", "-1", "0", "20261", "%202026", "2026/2"])
    func `An invalid year gives 400`(year: String) async throws {
        try await Self.withVoter { app, token in
            expectRejection(
                try await app.get("/happiness/sprints?sprintyear=\(year)", token: token), 400, classic: true)
        }
    }

    /// Runs `body` with a member who may vote, and checks that no ballot was cast and they still may.
    private static func withVoter(_ body: @Sendable (TestApp, String) async throws -> Void) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2, settings: TeamSettings(policy: .immediate))
            try await body(app, team.lead.token)
            #expect(try await app.tally(of: team)?.count ?? 0 == 0)
            let vote = try await app.vote(team.lead, in: team)
            #expect(vote.status == .created, "a refused voter may still vote: \(vote.text)")
        }
    }
}
