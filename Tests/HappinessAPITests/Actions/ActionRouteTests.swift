import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import TestSupport
import Testing

@testable import HappinessAPI

/// Actions over HTTP.
@Suite struct ActionRouteTests {
    @Test func `An action is created, read, changed, moved and deleted`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let (path, token) = ("\(team.path)/actions", team.lead.token)
            let empty = ["toDo", "inProgress", "onHold", "done"]
                .map { #"{"actions":[],"hasMore":false,"state":"\#($0)"}"# }.joined(separator: ",")
            #expect(try await app.get(path, token: token).classic == #"200 {"columns":[\#(empty)]}"#)

            let assignee = team.members[1].user
            let new =
                #"{"title":" Shorter daily ","quote":"Long\r\ndailies","assignee":"\#(assignee.id)","#
                + #""due":"2026-03-01"}"#
            let added = try await app.post(path, token: token, json: new)
            #expect(added.status == .created)
            let id = try #require(added.object["id"] as? String)
            let start = "2026-01-19T00:00:00Z"
            let person = #"{"id":"\#(assignee.id)","name":"\#(assignee.name)"}"#
            #expect(
                added.text
                    == #"{"assignee":\#(person),"began":null,"due":"2026-03-01","id":"\#(id)","#
                    + #""isSupported":false,"made":{"label":"2026/2","start":"\#(start)"},"notes":"","#
                    + #""quote":"Long\ndailies","quoteReaders":"leads","state":"toDo","supporters":0,"#
                    + #""title":"Shorter daily","version":1}"#)

            let moved = try await app.patch(
                "\(path)/\(id)", token: team.members[1].token,
                json: #"{"version":1,"state":"inProgress","before":null}"#)
            #expect(moved.object["version"] as? Int == 2 && moved.object["state"] as? String == "inProgress")
            #expect((moved.object["began"] as? [String: Any])?["label"] as? String == "2026/2")
            let changed = try await app.patch(
                "\(path)/\(id)", token: token, json: #"{"version":2,"assignee":null,"due":null,"notes":"By Friday"}"#)
            #expect(changed.object["assignee"] is NSNull && changed.object["due"] is NSNull)
            #expect(changed.object["quote"] as? String == "Long\ndailies")
            let read = try await app.get("\(path)/\(id)", token: team.members[1].token)
            #expect(read.object["version"] as? Int == 3 && read.object["quote"] is NSNull)

            #expect(try await app.send(.delete, "\(path)/\(id)?version=3", token: token).status == .noContent)
            expectRejection(try await app.get("\(path)/\(id)", token: token), 404, saying: "no such action")
        }
    }

    @Test func `A quote is for the team if its sprint is named, and otherwise for leads`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 1)
            let (path, token) = ("\(team.path)/actions", team.lead.token)
            let bodies: [(String, String)] = [
                (#""quoteReaders":"team","quoteSprint":"2026/2""#, "team"), (#""quoteReaders":"team""#, "leads"),
                (#""quoteSprint":"2026/2""#, "leads"), (#""quoteReaders":"leads""#, "leads"),
            ]
            for (fields, readers) in bodies {
                let added = try await app.post(path, token: token, json: #"{"title":"a","quote":"b",\#(fields)}"#)
                #expect(added.object["quoteReaders"] as? String == readers, "\(fields)")
            }
            let wrong = #"{"title":"a","quote":"b","quoteSprint":"soon"}"#
            expectRejection(try await app.post(path, token: token, json: wrong), 400)
            let closed = try await app.post(path, token: token, json: #"{"title":"a","quote":"b"}"#)
            let id = try #require(closed.object["id"] as? String)
            let opened = try await app.patch(
                "\(path)/\(id)", token: token, json: #"{"version":1,"quoteReaders":"team"}"#)
            expectRejection(opened, 422, saying: "stays with them")
            #expect((opened.object["type"] as? String)?.hasSuffix("#quote-for-leads") == true)
        }
    }

    @Test func `Actions are for the team, and their changes for its leads`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let (path, member) = ("\(team.path)/actions", team.members[1].token)
            let added = try await app.post(path, token: team.lead.token, json: #"{"title":"a"}"#)
            let id = try #require(added.object["id"] as? String)
            let stranger = try await app.token(of: try await app.makeUser("eve"))
            let admin = try await app.token(of: try await app.makeUser("root", role: .admin))
            for token in [stranger, admin] {
                expectRejection(try await app.get(path, token: token), 404, saying: "no such team")
                expectRejection(try await app.get("\(path)/\(id)", token: token), 404, saying: "no such team")
            }
            expectRejection(try await app.get(path), 401)
            #expect(try await app.post(path, token: member, json: #"{"title":"mine"}"#).status == .created)
            let settings = try await app.patch(
                team.path, token: team.lead.token, json: #"{"actionAuthors":"leads"}"#)
            #expect(settings.object["actionAuthors"] as? String == "leads")
            let refusals = [
                try await app.post(path, token: member, json: #"{"title":"a"}"#),
                try await app.patch("\(path)/\(id)", token: member, json: #"{"version":1,"title":"b"}"#),
                try await app.patch("\(path)/\(id)", token: member, json: #"{"version":1,"state":"done"}"#),
                try await app.send(.delete, "\(path)/\(id)?version=1", token: member),
            ]
            for rejection in refusals { expectRejection(rejection, 403, saying: "Only team leads") }
            // An action of another team is not found here.
            let other = try await app.makeTeam("Red")
            expectRejection(
                try await app.get("\(other.path)/actions/\(id)", token: other.lead.token), 404, saying: "no such action"
            )
        }
    }

    @Test func `Members say me too, which shows a number and no names`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let (path, member) = ("\(team.path)/actions", team.members[1].token)
            let added = try await app.post(path, token: team.lead.token, json: #"{"title":"a"}"#)
            let support = "\(path)/\(try #require(added.object["id"] as? String))/support"
            for _ in 1...2 {
                let said = try await app.send(.put, support, token: member)
                #expect(said.status == .ok && said.object["supporters"] as? Int == 1)
                #expect(said.object["isSupported"] as? Bool == true)
            }
            let board = try await app.get(path, token: team.lead.token).text
            #expect(board.contains(#""isSupported":false"#) && board.contains(#""supporters":1"#))
            #expect(!board.contains("\(team.members[1].user.id)") && !board.contains(team.members[1].user.name))
            let withdrawn = try await app.send(.delete, support, token: member)
            #expect(withdrawn.object["supporters"] as? Int == 0)
            let stranger = try await app.token(of: try await app.makeUser("eve"))
            expectRejection(try await app.send(.put, support, token: stranger), 404, saying: "no such team")
        }
    }

    @Test func `An outdated or wrong change is refused with its reason`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 1)
            let (path, token) = ("\(team.path)/actions", team.lead.token)
            let added = try await app.post(path, token: token, json: #"{"title":"a"}"#)
            let id = try #require(added.object["id"] as? String)
            let fresh = try await app.patch("\(path)/\(id)", token: token, json: #"{"version":1,"title":"b"}"#)
            #expect(fresh.status == .ok)
            let long = String(repeating: "a", count: 201)
            let changes: [(String, Int, String)] = [
                (#"{"version":1,"title":"c"}"#, 409, "changed-meanwhile"),
                (#"{"title":"c"}"#, 400, "malformed"), (#"{"version":2,"state":"later"}"#, 400, "malformed"),
                (#"{"version":2,"due":"2026-02-30"}"#, 400, "malformed"),
                (#"{"version":2,"before":"none"}"#, 400, "malformed"),
                (#"{"version":2,"title":{"$ne":1}}"#, 400, "malformed"),
                (#"{"version":2,"title":null}"#, 400, "malformed"), (#"{"version":2,"state":null}"#, 400, "malformed"),
                (#"{"version":2,"title":""}"#, 422, "action-title-missing"),
                (#"{"version":2,"title":"\#(long)"}"#, 422, "action-too-long"),
                (#"{"version":2,"notes":"a\u0000b"}"#, 400, "control-character"),
                (#"{"version":2,"title":"a\u2028b"}"#, 422, "action-not-text"),
                (#"{"version":2,"due":"1900-01-01"}"#, 422, "action-due"),
                (#"{"version":2,"assignee":"\#(User.ID.random())"}"#, 422, "assignee-not-in-team"),
            ]
            for (json, status, reason) in changes {
                let response = try await app.patch("\(path)/\(id)", token: token, json: json)
                expectRejection(response, status)
                #expect((response.object["type"] as? String)?.hasSuffix("#\(reason)") == true, "\(json)")
            }
            expectRejection(try await app.send(.delete, "\(path)/\(id)?version=1", token: token), 409)
            expectRejection(try await app.send(.delete, "\(path)/\(id)", token: token), 400)
            #expect(try await app.get("\(path)/\(id)", token: token).object["title"] as? String == "b")
        }
    }

    @Test func `Only the chart behind the log-in shows where actions began`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 5)
            for member in team.members { #expect(try await app.vote(member, in: team).status == .created) }
            let chart = "\(team.path)/chart.svg"
            let before = try await app.get(chart, token: team.lead.token)
            #expect(before.status == .ok && !before.text.contains("hm-mark\" fill"))
            let added = try await app.post(
                "\(team.path)/actions", token: team.lead.token, json: #"{"title":"<Shorter> daily"}"#)
            let id = try #require(added.object["id"] as? String)
            app.clock.advance(by: 1)
            #expect(try await app.get(chart, token: team.lead.token).text == before.text, "It has not begun.")
            _ = try await app.patch(
                "\(team.path)/actions/\(id)", token: team.lead.token, json: #"{"version":1,"state":"done"}"#)
            app.clock.advance(by: 1)
            let after = try await app.get(chart, token: team.members[1].token)
            #expect(after.text.contains("Started in the sprint of 19\u{a0}Jan: &lt;Shorter&gt; daily"))
            let tag = try #require(after.headers[.eTag])
            #expect(tag != before.headers[.eTag])
            app.clock.advance(by: 1)
            let again = try await app.get(chart, token: team.lead.token, headers: [.ifNoneMatch: tag])
            #expect(again.status == .notModified)

            let link = try await app.send(.put, "\(team.path)/share-link", token: team.lead.token)
            let address = try #require(link.object["chart"] as? String)
            let shared = try await app.get(String(try #require(address.firstMatch(of: /\/api\/v1\/.*/)).output))
            #expect(shared.status == .ok && !shared.text.contains("daily"))
        }
    }
}
