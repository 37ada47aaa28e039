import Domain
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Ports
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// A team's sprints: what members can read and others cannot.
@Suite struct TeamRoutesTests {
    @Test func `The me route lists my teams`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let (lead, member) = (team.members[0], team.members[1])
            let me = try await app.get("/api/v1/me", token: lead.token)
            #expect(me.object["id"] as? String == lead.user.id.description)
            #expect(me.object["name"] as? String == "blue0")
            #expect(me.object["email"] as? String == "blue0@example.org")
            #expect(me.object["role"] as? String == "member")
            #expect(me.object["defaultTeam"] as? String == team.id.description)
            let teams = try await app.get("/api/v1/teams", token: member.token)
            let expected =
                #"{"actionAuthors":"team","ballots":"any","calendar":"isoFortnight","feedbackReaders":"team","#
                + #""graceDays":0,"id":"\#(team.id)","isShared":false,"members":2,"name":"Blue","policy":"live","role":"member","threshold":3,"#
                + #""timeZone":"UTC"}"#
            #expect(teams.text == #"{"teams":[\#(expected)]}"#)
            #expect(try await app.get(team.path, token: member.token).text == expected)
        }
    }

    @Test func `A sprint with nothing published shows only its settings`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 4)
            let sprint =
                #"{"ballots":"any","closes":"2026-02-02T00:00:00Z","end":"2026-02-02T00:00:00Z","imported":false,"#
                + #""joined":0,"label":"2026/2","number":2,"policy":"close","publication":null,"start":"2026-01-19T00:00:00Z","state":"running","#
                + #""threshold":3,"year":2026}"#
            for votes in 0...2 {
                if votes > 0 { _ = try await app.vote(team.members[votes], in: team, feedback: "shh") }
                app.clock.advance(by: 1)
                let token = team.lead.token
                let current = try await app.get("\(team.path)/sprints/current", token: token)
                #expect(current.text == #"{"hasVoted":false,"sprint":\#(sprint),"vote":"open"}"#)
                let shown = try await app.get("\(team.path)/sprints/2026/2", token: token)
                #expect(shown.text == #"{"feedback":[],"nextFeedbackAfter":null,"sprint":\#(sprint)}"#)
                let list = try await app.get("\(team.path)/sprints?year=2026", token: token)
                #expect(list.text == #"{"sprints":[\#(sprint)]}"#)
            }
        }
    }

    @Test func `A closed sprint shows value, distribution, feedback and participation`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 6, settings: TeamSettings(policy: .close))
            for (member, value) in zip(team.members, [0, 0.4, 4.5, 9, 10]) {
                _ = try await app.vote(member, in: team, value, feedback: value == 9 ? "<b>more</b> tea" : nil)
            }
            app.clock.advance(by: 14 * TestTeam.day)
            let shown = try await app.get("\(team.path)/sprints/2026/2", token: team.lead.token)
            let sprint = shown.object["sprint"] as? [String: Any]
            let publication = try #require(sprint?["publication"] as? [String: Any])
            #expect(sprint?["state"] as? String == "closed")
            #expect(publication["votes"] as? Int == 5)
            #expect(publication["happiness"] as? Double == 239.0 / 50)
            #expect(publication["distribution"] as? [Int] == [2, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1])
            #expect(publication["eligible"] as? Int == 6)
            let feedback = shown.object["feedback"] as? [[String: Any]]
            #expect(feedback?.compactMap { $0["text"] as? String } == ["<b>more</b> tea"])
        }
    }

    @Test func `When every member has voted, the results appear`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 4, settings: TeamSettings(policy: .close))
            for member in team.members { #expect(try await app.vote(member, in: team).status == .created) }
            app.clock.advance(by: 1)
            let current = try await app.get("\(team.path)/sprints/current", token: team.lead.token)
            #expect(current.text.contains(#""state":"closed""#) && current.text.contains(#""votes":4"#))
            #expect(current.object["hasVoted"] as? Bool == true)
            #expect(current.object["vote"] as? String == "closed")
        }
    }

    /// Someone who voted, and someone who came after the early close.
    @Test func `A closed sprint is closed for everyone and does not say who voted`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let path = "\(team.path)/sprints/current"
            _ = try await app.vote(team.members[0], in: team)
            for (member, state) in zip(team.members, ["voted", "open", "open"]) {
                #expect(try await app.get(path, token: member.token).object["vote"] as? String == state)
            }
            for member in team.members.dropFirst() { _ = try await app.vote(member, in: team) }
            let late = try await app.makeUser("late")
            try await app.stores.add(Membership(teamID: team.id, userID: late.id))
            app.clock.advance(by: 2)
            let answers = [
                try await app.get(path, token: team.lead.token),
                try await app.get(path, token: try await app.token(of: late)),
            ]
            #expect(answers[0].object["vote"] as? String == "closed")
            #expect(answers[0].text == answers[1].text)
        }
    }

    @Test func `Feedback is read page by page in the order of its IDs`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let sprint = try await app.closedSprint(of: team)
            let texts = try (0..<450).compactMap { try FeedbackText("text \($0)") }
            try await app.stores.importFeedback(texts.map { (sprint, $0) })
            var ids: [String] = []
            var query = ""
            var pages = 0
            repeat {
                let page = try await app.get("\(team.path)/sprints/2026/2\(query)", token: team.lead.token)
                ids += (page.object["feedback"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
                query = (page.object["nextFeedbackAfter"] as? String).map { "?feedbackAfter=\($0)" } ?? ""
                pages += 1
            } while !query.isEmpty && pages < 10
            #expect(pages == 3)
            #expect(ids == ids.sorted() && Set(ids).count == 450)
        }
    }

    @Test func `A team may keep its feedback for its leads`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3, settings: TeamSettings(feedbackReaders: .leads))
            let sprint = try await app.closedSprint(of: team)
            try await app.stores.importFeedback([(sprint, try #require(try FeedbackText("for leads")))])
            let lead = try await app.get("\(team.path)/sprints/2026/2", token: team.members[0].token)
            #expect(lead.text.contains("for leads"))
            let member = try await app.get("\(team.path)/sprints/2026/2", token: team.members[1].token)
            #expect(member.object["feedback"] is NSNull)
            let classic = try await app.get("/happiness/sprints?sprintyear=2026", token: team.members[1].token)
            #expect(classic.text.contains(#""feedbacks":[]"#))
        }
    }

    @Test func `A stranger is not told which sprint of a team is open`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            let stranger = try await app.makeTeam("Red")
            let path = "\(team.path)/sprints/2020/1/ballots"
            let vote = #"{"happiness":7}"#
            #expect(try await app.post(path, token: team.lead.token, json: vote).text.contains("2026/2"))
            let response = try await app.post(path, token: stranger.lead.token, json: vote)
            #expect(response.status == .notFound && !response.text.contains("2026/2"))
        }
    }

    @Test func `Feedback written for leads stays with them`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3, settings: TeamSettings(feedbackReaders: .leads))
            for member in team.members {
                _ = try await app.vote(member, in: team, feedback: "for leads")
            }
            app.clock.advance(by: 14 * TestTeam.day)
            try await app.stores.updateSettings(id: team.id, TeamSettings(feedbackReaders: .team))
            let member = try await app.get("\(team.path)/sprints/2026/2", token: team.members[1].token)
            #expect(member.object["feedback"] is NSNull)
            let lead = try await app.get("\(team.path)/sprints/2026/2", token: team.lead.token)
            #expect(lead.text.contains("for leads"))
        }
    }

    @Test func `The history can be read as CSV and as a picture`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            _ = try await app.closedSprint(of: team)
            let csv = try await app.get("\(team.path)/history.csv", token: team.lead.token)
            #expect(csv.status == .ok)
            #expect(csv.headers[.contentType] == "text/csv; charset=utf-8")
            #expect(csv.headers[.contentDisposition] == #"attachment; filename="history.csv""#)
            #expect(
                csv.text.firstMatch(of: /2026\/2,[0-9]{4}-[0-9]{2}-[0-9]{2},[0-9]{4}-[0-9]{2}-[0-9]{2},/) != nil)
            for (language, separator) in [("de", ";"), ("en", ",")] {
                let file = try await app.get("\(team.path)/history.csv?language=\(language)", token: team.lead.token)
                #expect(file.text.hasPrefix("\u{FEFF}sprint\(separator)start\(separator)end\(separator)"))
            }
            for query in ["", "?appearance=dark&language=de", "?year=2026", "?from=2026/1&to=2026/26"] {
                let chart = try await app.get("\(team.path)/chart.svg\(query)", token: team.lead.token)
                #expect(chart.status == .ok)
                #expect(chart.headers[.contentType] == "image/svg+xml")
                #expect(chart.headers[.contentSecurityPolicy] == "default-src 'none'; style-src 'unsafe-inline'")
                #expect(chart.text.hasPrefix("<svg") && chart.text.contains(/19\.?\u{a0}Jan/))
            }
        }
    }

    @Test func `Sprints are listed by year, by range and altogether`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            for _ in 1...3 {
                let token = try await app.token(of: team.lead.user)
                _ = try await app.get("\(team.path)/sprints/current", token: token)
                app.clock.advance(by: 14 * TestTeam.day)
            }
            let token = try await app.token(of: team.lead.user)
            func labels(_ query: String) async throws -> [String] {
                let response = try await app.get("\(team.path)/sprints\(query)", token: token)
                return (response.object["sprints"] as? [[String: Any]] ?? []).compactMap { $0["label"] as? String }
            }
            #expect(try await labels("") == ["2026/2", "2026/3", "2026/4", "2026/5"])
            #expect(try await labels("?year=2026").count == 4)
            #expect(try await labels("?year=2025").isEmpty)
            #expect(try await labels("?from=2026/3") == ["2026/3", "2026/4", "2026/5"])
            #expect(try await labels("?to=2026%2F3") == ["2026/2", "2026/3"])
            #expect(try await labels("?from=2026/3&to=2026/4") == ["2026/3", "2026/4"])
        }
    }

    @Test(arguments: [
        "/sprints?year=x", "/sprints?year=0", "/sprints?year=20260", "/sprints?year=", "/sprints?from=2026",
        "/sprints?from=2026/03", "/sprints?to=x", "/sprints?year=2026&from=2026/1", "/history.csv?year=-5",
        "/history.csv?language=fr",
        "/chart.svg?appearance=pink", "/chart.svg?language=fr", "/chart.svg?year=1e3",
        "/sprints/2026/2?feedbackAfter=x",
    ])
    func `An invalid query gives 400`(query: String) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            expectRejection(try await app.get(team.path + query, token: team.lead.token), 400, query)
        }
    }

    @Test(arguments: [
        "/sprints/2025/1", "/sprints/2026/02", "/sprints/x/y", "/sprints/2026/2.0", "/sprints/2026/-2", "/nothing",
        "/sprints/2026/2/nothing", "/sprints/99999/1",
    ])
    func `A sprint that does not exist gives 404`(path: String) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            expectRejection(try await app.get(team.path + path, token: team.lead.token), 404, path)
        }
    }

    @Test func `Someone else's team is not found`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam("Blue", members: 3)
            let stranger = try await app.makeTeam("Red").lead
            let admin = try await app.makeUser("root", role: .admin)
            let outsiders = [stranger.token, try await app.token(of: admin)]
            _ = try await app.closedSprint(of: team)
            let results = [
                "/sprints", "/sprints/current", "/sprints/2026/2", "/history.csv", "/chart.svg", "/sprints?year=2026",
            ]
            let unknown = "/api/v1/teams/\(Team.ID.random())"
            for token in outsiders {
                // An administrator manages every team, but cannot read its results.
                for path in token == stranger.token ? [""] + results : results {
                    let response = try await app.get(team.path + path, token: token)
                    expectRejection(response, 404, path)
                    #expect(response.text == (try await app.get(unknown + path, token: token)).text)
                    for id in ["x", "%20", "..", "\(team.id)%27", "{team}"] {
                        expectRejection(try await app.get("/api/v1/teams/\(id)\(path)", token: token), 404, id + path)
                    }
                }
                expectRejection(try await app.send(.put, "\(team.path)/share-link", token: token), 404)
                expectRejection(try await app.send(.delete, "\(team.path)/share-link", token: token), 404)
                let vote = try await app.post(
                    "\(team.path)/sprints/2026/3/ballots", token: token, json: #"{"happiness":0}"#)
                expectRejection(vote, 404)
                let trial = try await app.post(
                    "\(team.path)/sprints/2026/3/ballots", token: token, json: #"{"happiness":0,"validateOnly":true}"#)
                expectRejection(trial, 404)
            }
            #expect(try await app.tally(of: team)?.count == 0)
        }
    }

    @Test func `A member who left reads nothing after three seconds`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let gone = team.members[1]
            #expect(try await app.get("\(team.path)/sprints", token: gone.token).status == .ok)
            try await app.stores.remove(userID: gone.user.id, from: team.id)
            expectRejection(try await app.vote(gone, in: team), 404)
            app.clock.advance(by: RevocationFeed.trust)
            expectRejection(try await app.get("\(team.path)/sprints", token: gone.token), 404)
        }
    }
}

extension TestApp {
    /// All members vote 7 in sprint 2026/2, which ends; the clock is set to 2026/3.
    func closedSprint(of team: SignedInTeam) async throws -> Sprint.Key {
        for member in team.members { _ = try await vote(member, in: team) }
        clock.advance(by: 14 * TestTeam.day)
        _ = try await get("\(team.path)/sprints/current", token: team.lead.token)
        return Sprint.Key(teamID: team.id, start: TestTeam.firstMonday + 14 * TestTeam.day)
    }
}
