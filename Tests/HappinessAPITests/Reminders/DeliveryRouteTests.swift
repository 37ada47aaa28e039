import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// Messages, test reminders and lists of deliveries over HTTP. `TestApp.now` lies in sprint 2026/2.
@Suite struct DeliveryRouteTests {
    private static let message = #"{"title":" Retro at ten ","body":"Please vote\nbefore."}"#

    @Test func `A lead's message is stored and has its job`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let response = try await app.post("\(team.path)/messages", token: team.lead.token, json: Self.message)
            #expect(response.status == .accepted)
            #expect(response.object["title"] as? String == "Retro at ten")
            #expect(response.object["body"] as? String == "Please vote\nbefore.")
            #expect(response.object["kind"] as? String == "message" && response.object["state"] as? String == "sending")
            let id = try #require((response.object["id"] as? String).flatMap { Delivery.ID($0) })
            let delivery = try #require(try await app.stores.delivery(id))
            #expect(delivery.requestedBy == team.lead.user.id && delivery.occasion.day == CalendarDay("2026-01-25"))
            let jobs = try await app.stores.jobs.list(state: .ready, limit: 9)
            #expect(jobs.map(\.kind) == [DeliveryJobs.deliverKind])
            #expect(jobs.first?.payload == #"{"deliveryID":"\#(id)"}"#)
        }
    }

    @Test func `A test reminder goes to the user who requested it`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let admin = try await app.makeUser("root", role: .admin)
            let token = try await app.token(of: admin)
            let response = try await app.send(.post, "\(team.path)/reminders/test", token: token)
            #expect(response.status == .accepted && response.object["kind"] as? String == "test")
            let delivery = try #require(
                try await app.stores.read { try $0.deliveries(of: team.id, after: nil, limit: 9) }.first)
            #expect(delivery.occasion.kind == .test && delivery.requestedBy == admin.id)
        }
    }

    @Test(arguments: [
        (#"{"body":"b"}"#, 400, "The field title is missing."), (#"{"title":"t","body":7}"#, 400, "The field body"),
        (#"{"title":" ","body":"b"}"#, 422, "The title must have 1 to 80 characters."),
        (#"{"title":"t","body":""}"#, 422, "The body must have 1 to 400 characters."),
        (#"{"title":"a\nb","body":"b"}"#, 400, "The field title contains a control character."),
        (#"{"title":"t","body":"a\u0007b"}"#, 400, "The field body contains a control character."),
        (#"{"title":"a\u2028b","body":"b"}"#, 422, "The title contains a control character or a line break"),
        (#"{"title":"t","body":"\#(String(repeating: "x", count: 401))"}"#, 422, "1 to 400"),
    ])
    func `An invalid message is refused`(json: String, status: Int, detail: String) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let response = try await app.post("\(team.path)/messages", token: team.lead.token, json: json)
            expectRejection(response, status, saying: detail)
            #expect(try await app.stores.read { try $0.deliveries(of: nil, after: nil, limit: 1) }.isEmpty)
        }
    }

    @Test func `Only leads and admins may send and see`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let stranger = try await app.makeTeam("Red").lead.token
            let admin = try await app.token(of: try await app.makeUser("root", role: .admin))
            let member = team.members[1].token
            for (token, expected) in [(member, 403), (stranger, 404), (admin, 202), (team.lead.token, 202)] {
                let sent = try await app.post("\(team.path)/messages", token: token, json: Self.message)
                #expect(sent.status.code == expected)
                let tested = try await app.send(.post, "\(team.path)/reminders/test", token: token)
                #expect(tested.status.code == expected)
                let listed = try await app.get("\(team.path)/deliveries", token: token)
                #expect(listed.status.code == (expected == 202 ? 200 : expected))
                let all = try await app.get("/api/v1/deliveries", token: token)
                #expect(all.status.code == (token == admin ? 200 : 403))
            }
            #expect(try await app.post("\(team.path)/messages", json: Self.message).status == .unauthorized)
        }
    }

    @Test func `A team has five messages a day`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            for number in 0..<7 {
                let response = try await app.post("\(team.path)/messages", token: team.lead.token, json: Self.message)
                #expect(response.status == (number < 5 ? .accepted : .tooManyRequests))
                if number >= 5 {
                    expectRejection(response, 429, saying: "Too many messages")
                    #expect(response.headers[.retryAfter] == "3600")
                }
            }
            let other = try await app.makeTeam("Red")
            let response = try await app.post("\(other.path)/messages", token: other.lead.token, json: Self.message)
            #expect(response.status == .accepted)
        }
    }

    /// With fewer than k ballots, the number of reminded members would reveal how many there are.
    @Test(arguments: [0, 2, 3])
    func `A reminder's counts are shown only after the sprint's close`(voters: Int) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            // Starts the sprint.
            _ = try await app.get("\(team.path)/sprints/current", token: team.lead.token)
            let sprint = try #require(try await app.stores.latestSprint(of: team.id)?.sprint)
            for kind in [Delivery.Kind.reminder, .message] {
                let delivery = Delivery(
                    occasion: Delivery.Occasion(
                        sprint: sprint.key, kind: kind, day: try #require(CalendarDay("2026-01-19"))),
                    state: .done, begun: TestApp.now, text: kind == .message ? .init(title: "t", body: "b") : nil)
                _ = try await app.stores.insert(delivery)
                let key = DeliveryBatch.Key(deliveryID: delivery.id, number: 0)
                var counts = DeliveryCounts()
                counts.accepted = 2
                let batch = DeliveryBatch(
                    key: key, recipients: .devices(IdentifierRange()),
                    sealedCounts: try CountsSeal(secret: TestTeam.secret).seal(counts, for: key), isDone: true)
                _ = try await app.stores.write { try $0.expand(delivery.id, into: [batch]) }
            }
            func shown() async throws -> [String: Int?] {
                let response = try await app.get("\(team.path)/deliveries", token: team.lead.token)
                let list = try #require(response.object["deliveries"] as? [[String: Any]])
                return Dictionary(
                    uniqueKeysWithValues: list.map { delivery in
                        (delivery["kind"] as? String ?? "", (delivery["counts"] as? [String: Int])?["accepted"])
                    })
            }
            #expect(try await shown() == ["reminder": nil, "message": 2])
            for member in team.members.prefix(voters) {
                #expect(try await app.vote(member, in: team).status == .created)
            }
            // Closes it unless the last vote has done so.
            _ = try await app.stores.ballots.close(sprint.key)
            #expect(try await shown() == ["reminder": voters == 3 ? 2 : nil, "message": 2])
            // The number of members who had not voted is a result of the team, so an administrator from outside must
            // not see it.
            let admin = try await app.token(of: try await app.makeUser("root", role: .admin))
            for path in ["\(team.path)/deliveries", "/api/v1/deliveries"] {
                let response = try await app.get(path, token: admin)
                let list = try #require(response.object["deliveries"] as? [[String: Any]])
                for one in list { #expect((one["counts"] is NSNull) == (one["kind"] as? String == "reminder")) }
            }
        }
    }

    /// On the later day it was sent to members who were absent on the first: alone, the counts would reveal whether
    /// they had voted by then.
    @Test func `A reminder of a later day is counted with the first one`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 3)
            _ = try await app.get("\(team.path)/sprints/current", token: team.lead.token)
            let sprint = try #require(try await app.stores.latestSprint(of: team.id)?.sprint)
            let sent: [(Delivery.Kind, String, Int?, Delivery.State, Int)] = [
                (.reminder, "2026-01-19", nil, .skipped, 0), (.reminder, "2026-01-20", 7, .done, 1),
                (.reminder, "2026-01-20", nil, .done, 6), (.reminder, "2026-01-22", nil, .done, 1),
                (.secondReminder, "2026-01-23", nil, .done, 4),
            ]
            for (kind, day, hour, state, mailed) in sent {
                let delivery = Delivery(
                    occasion: Delivery.Occasion(
                        sprint: sprint.key, kind: kind, day: try #require(CalendarDay(day)), hour: hour),
                    state: state, begun: TestApp.now)
                _ = try await app.stores.insert(delivery)
                let key = DeliveryBatch.Key(deliveryID: delivery.id, number: 0)
                var counts = DeliveryCounts()
                counts.mailed = mailed
                let sealed = try CountsSeal(secret: TestTeam.secret).seal(counts, for: key)
                let batch = DeliveryBatch(
                    key: key, recipients: .devices(IdentifierRange()), sealedCounts: sealed, isDone: true)
                _ = try await app.stores.write { try $0.expand(delivery.id, into: [batch]) }
            }
            for member in team.members { #expect(try await app.vote(member, in: team).status == .created) }
            _ = try await app.stores.ballots.close(sprint.key)
            let response = try await app.get("\(team.path)/deliveries", token: team.lead.token)
            let list = try #require(response.object["deliveries"] as? [[String: Any]])
            #expect(list.map { $0["day"] as? String } == ["2026-01-23", "2026-01-22", "2026-01-20", "2026-01-19"])
            #expect(list.map { ($0["counts"] as? [String: Int])?["mailed"] } == [4, nil, 8, nil])
        }
    }

    @Test func `Deliveries come in pages`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let key = Sprint.Key(teamID: team.id, start: TestTeam.firstMonday)
            let first = try #require(CalendarDay("2026-01-05"))
            for number in 0..<(DeliveryService.pageSize + 3) {
                let delivery = Delivery(
                    occasion: Delivery.Occasion(sprint: key, kind: .test, day: first.adding(days: number / 7)),
                    state: .done, begun: TestApp.now)
                _ = try await app.stores.insert(delivery)
            }
            let admin = try await app.token(of: try await app.makeUser("root", role: .admin))
            for (path, token) in [("\(team.path)/deliveries", team.lead.token), ("/api/v1/deliveries", admin)] {
                let page = try await app.get(path, token: token)
                let after = try #require(page.object["nextAfter"] as? String)
                let rest = try await app.get("\(path)?after=\(after)", token: token)
                let lists = [page, rest].map { $0.object["deliveries"] as? [[String: Any]] ?? [] }
                #expect(lists.map(\.count) == [DeliveryService.pageSize, 3])
                let days = lists.flatMap(\.self).compactMap { $0["day"] as? String }
                #expect(days == days.sorted(by: >))
                #expect(rest.text.contains(#""nextAfter":null"#))
                expectRejection(try await app.get("\(path)?after=x", token: token), 400, saying: "nextAfter")
            }
        }
    }
}
