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

/// The responses on which the first mobile clients depend, byte for byte.
@Suite struct ClassicRoutesTests {
    @Test func `Log-in takes a form and JSON, and a name as well as an address`() async throws {
        try await TestApp.with { app in
            _ = try await app.makeUser("anna")
            let answers = [
                try await app.post("/user/login", form: "username=anna&password=purple%20lamp%209"),
                try await app.post("/user/login", form: "username=ANNA%40example.org&password=purple+lamp+9"),
                try await app.post("/user/login", json: #"{"username":"anna","password":"purple lamp 9"}"#),
                try await app.post("/user/login", json: #"{"password":"purple lamp 9","username":"anna@example.org"}"#),
            ]
            for response in answers {
                let token = try #require(response.object["accessToken"] as? String)
                #expect(
                    response.classic
                        == #"200 {"accessToken":"\#(token)","email":"anna@example.org","message":"Logged in"}"#)
                #expect(response.headers[.contentType] == "application/json; charset=utf-8")
                #expect(try await app.get("/user/profile", token: token).status == .ok)
            }
        }
    }

    /// As an older version could leave it.
    @Test(arguments: ["/happiness/currentSprint", "/happiness/hasVoted?sprint=2026/2", "/happiness/sprints"])
    func `A default team that the user is not in is left out`(path: String) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam("Blue", members: 3)
            for member in team.members { _ = try await app.vote(member, in: team) }
            let former = try await app.makeUser("former", defaultTeamID: team.id)
            let response = try await app.get(path, token: try await app.token(of: former))
            #expect(response.status == .conflict && !response.text.contains("2026/2"))
        }
    }

    @Test func `A wrong password and an unknown name have the same answer`() async throws {
        try await TestApp.with { app in
            _ = try await app.makeUser("anna")
            let wrong = try await app.post("/user/login", json: #"{"username":"anna","password":"purple lamp 8"}"#)
            let unknown = try await app.post("/user/login", json: #"{"username":"bert","password":"purple lamp 8"}"#)
            #expect(wrong.classic == #"401 {"message":"Wrong user name or password."}"#)
            #expect(unknown.classic == wrong.classic)
            #expect(unknown.headers == wrong.headers)
        }
    }

    @Test(arguments: [
        #"{"username":"anna"}"#, #"{"password":"x"}"#, #"{}"#, #"{"username":"","password":"x"}"#,
        #"{"username":"anna","password":""}"#, #"{"username":{"$ne":""},"password":"x"}"#,
        #"{"username":"anna","password":["x"]}"#, #"{"username":7,"password":"x"}"#, #"["anna","x"]"#, "", "{", "null",
    ])
    func `A log-in that lacks a field or has a wrong type gives 400`(body: String) async throws {
        try await TestApp.with { app in
            _ = try await app.makeUser("anna")
            expectRejection(try await app.post("/user/login", json: body), 400, classic: true, body)
        }
    }

    @Test(arguments: ["username=anna", "password=x", "", "username=&password=x", "username=%FF&password=x"])
    func `A form that lacks a field gives 400`(body: String) async throws {
        try await TestApp.with { app in
            expectRejection(try await app.post("/user/login", form: body), 400, classic: true, body)
        }
    }

    @Test func `The token is accepted bare or as bearer in any case`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            let token = try await app.token(of: user)
            for value in [token, "Bearer \(token)", "bearer \(token)", "BEARER  \(token)"] {
                let response = try await app.get("/user/profile", headers: [.authorization: value])
                let link = try #require(response.object["profilePictureLink"] as? String)
                #expect(link.wholeMatch(of: /http:\/\/localhost:8080\/pictures\/initials\/.+\.png\?.+/) != nil)
                #expect(
                    response.classic == #"200 {"email":"anna@example.org","message":"Profile of anna","#
                        + #""profilePictureLink":"\#(link)","username":"anna"}"#
                )
            }
        }
    }

    @Test func `A vote goes from not voted to already voted`() async throws {
        try await TestApp.with { app in
            let token = try await app.makeTeam(members: 3).lead.token
            // iOS sends the slash unescaped, Android escaped.
            for sprint in ["2026/2", "2026%2F2"] {
                let before = try await app.get("/happiness/hasVoted?sprint=\(sprint)", token: token)
                #expect(before.classic == #"200 {"voted":false}"#)
            }
            let vote = try await app.post(
                "/happiness/track", token: token, form: "happiness=7&sprint=2026%2F2&feedback=all%20fine")
            #expect(vote.classic == #"200 {"message":"Your happiness was saved."}"#)
            for sprint in ["2026/2", "2026%2F2"] {
                let after = try await app.get("/happiness/hasVoted?sprint=\(sprint)", token: token)
                #expect(after.classic == #"200 {"voted":true}"#)
            }
            let second = try await app.post(
                "/happiness/track", token: token, json: #"{"happiness":3,"sprint":"2026/2","feedback":""}"#)
            #expect(second.classic == #"400 {"message":"Already voted!"}"#)
        }
    }

    @Test func `Seven is seven, and five and a half is exact`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 7)
            let bodies = [
                #"{"happiness":7,"sprint":"2026/2"}"#, #"{"happiness":"7","sprint":"2026/2"}"#,
                #"{"happiness":5.5,"sprint":"2026/2","feedback":null}"#, #"{"happiness":"5.5","sprint":"2026/2"}"#,
            ]
            for (member, body) in zip(team.members, bodies) {
                #expect(try await app.post("/happiness/track", token: member.token, json: body).status == .ok)
            }
            let form = try await app.post(
                "/happiness/track", token: team.members[4].token, form: "happiness=5.5&sprint=2026/2&feedback=")
            #expect(form.status == .ok)
            let tally = try await app.tally(of: team)
            #expect(tally?.count == 5)
            #expect(tally?.sum == 70 + 70 + 55 + 55 + 55)
        }
    }

    @Test func `Sprints show published results, and a year without any returns 404`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3, settings: TeamSettings(policy: .immediate))
            let token = team.lead.token
            let empty = try await app.get("/happiness/sprints?sprintyear=2026", token: token)
            #expect(empty.classic == #"404 {"message":"There are no results for 2026 yet."}"#)

            _ = try await app.vote(team.members[0], in: team, 7, feedback: "good")
            _ = try await app.vote(team.members[1], in: team, 5.5)
            app.clock.advance(by: 1)
            let expected =
                #"200 {"sprints":[{"feedbacks":["good"],"happiness":6.25,"happinesssum":12.5,"month":0,"#
                + #""sprint":"2026/2","sprintyear":2026,"votes":2}]}"#
            for query in ["?sprintyear=2026", ""] {
                #expect(try await app.get("/happiness/sprints\(query)", token: token).classic == expected)
            }
            let other = try await app.get("/happiness/sprints?sprintyear=2025", token: token)
            #expect(other.classic == #"404 {"message":"There are no results for 2025 yet."}"#)
        }
    }

    @Test func `Sprints omit unpublished results`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 7)
            for member in team.members.prefix(5) {
                _ = try await app.vote(member, in: team, feedback: "secret so far")
            }
            let response = try await app.get("/happiness/sprints?sprintyear=2026", token: team.lead.token)
            expectRejection(response, 404, classic: true)
            _ = try await app.vote(team.members[5], in: team, feedback: "sixth")
            let published = try await app.get("/happiness/sprints?sprintyear=2026", token: team.lead.token)
            #expect(
                published.classic
                    == #"200 {"sprints":[{"feedbacks":["secret so far","secret so far","secret so far"],"happiness":7,"#
                    + #""happinesssum":21,"month":0,"sprint":"2026/2","sprintyear":2026,"votes":3}]}"#)
        }
    }

    @Test func `The current sprint gives its settings and whether the user has voted`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2, settings: TeamSettings(policy: .immediate))
            let token = team.lead.token
            let before = try await app.get("/happiness/currentSprint", token: token)
            #expect(
                before.classic
                    == #"200 {"end":"2026-02-02T00:00:00Z","message":"Sprint 2026/2","policy":"immediate","#
                    + #""sprint":"2026/2","start":"2026-01-19T00:00:00Z","threshold":3,"voted":false}"#)
            _ = try await app.vote(team.lead, in: team, 5.5)
            app.clock.advance(by: 1)
            let after = try await app.get("/happiness/currentSprint", token: token)
            #expect(
                after.classic
                    == #"200 {"end":"2026-02-02T00:00:00Z","happiness":5.5,"message":"Sprint 2026/2","#
                    + #""policy":"immediate","sprint":"2026/2","start":"2026-01-19T00:00:00Z","threshold":3,"#
                    + #""voted":true,"votes":1}"#)
        }
    }

    /// Android's GETs have a content type but no body; both clients accept gzip.
    @Test func `A content type without a body and gzip do not matter`() async throws {
        try await TestApp.with { app in
            let token = try await app.makeTeam(members: 3).lead.token
            let headers: HTTPFields = [.contentType: "application/json; charset=utf-8", .acceptEncoding: "gzip"]
            for path in ["/user/profile", "/happiness/currentSprint", "/happiness/hasVoted?sprint=2026%2F2"] {
                let response = try await app.get(path, token: token, headers: headers)
                #expect(response.status == .ok)
                #expect(response.headers[.contentEncoding] == nil)
                #expect(!response.object.isEmpty)
            }
        }
    }

    @Test func `A user in no team gets 409 with a message`() async throws {
        try await TestApp.with { app in
            let token = try await app.token(of: try await app.makeUser("anna"))
            let answers = [
                try await app.get("/happiness/hasVoted?sprint=2026/2", token: token),
                try await app.get("/happiness/sprints", token: token),
                try await app.get("/happiness/currentSprint", token: token),
                try await app.post("/happiness/track", token: token, json: #"{"happiness":7,"sprint":"2026/2"}"#),
            ]
            for response in answers { expectRejection(response, 409, classic: true, saying: "team") }
        }
    }

    /// On 30 December 2026, ISO week 53, sprint 2026/26 runs; a phone may use any of these names for it.
    @Test func `Around New Year, every name a phone computes means the running sprint`() async throws {
        let now = TestTeam.firstMonday + 359 * TestTeam.day
        let labels = ["2026/26", "2026/25", "2027/1", "2026/0", "2027/0", "2027/26"]
        try await TestApp.with(now: now) { app in
            let team = try await app.makeTeam(members: labels.count + 1)
            for (member, label) in zip(team.members, labels) {
                let vote = try await app.post(
                    "/happiness/track", token: member.token, json: #"{"happiness":7,"sprint":"\#(label)"}"#)
                #expect(vote.status == .ok, "\(label): \(vote.text)")
                let voted = try await app.get("/happiness/hasVoted?sprint=\(label)", token: member.token)
                #expect(voted.classic == #"200 {"voted":true}"#, "\(label)")
            }
            let latest = try #require(try await app.stores.latestSprint(of: team.id))
            #expect(latest.sprint.label.description == "2026/26")
            #expect(latest.state.current.count == labels.count)
            for label in ["2026/24", "2027/2", "2025/26"] {
                let vote = try await app.post(
                    "/happiness/track", token: team.members[labels.count].token,
                    json: #"{"happiness":7,"sprint":"\#(label)"}"#)
                expectRejection(vote, 400, classic: true, saying: "2026/26", label)
            }
        }
    }
}
