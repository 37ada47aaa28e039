import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// Experiments over HTTP.
@Suite struct ExperimentRouteTests {
    private static let json = #"""
        {"reminder":"first","first":"2026-02-02","last":"2026-03-31",
         "wordings":{"a":{"en":{"title":" Hello {team} "}},"b":{"en":{"title":""},"de":{"body":"Hallo"}}}}
        """#

    @Test func `An experiment is added, listed, read and removed`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let path = "\(team.path)/experiments"
            let token = team.lead.token
            #expect(try await app.get(path, token: token).classic == #"200 {"experiments":[]}"#)
            let added = try await app.post(path, token: token, json: Self.json)
            #expect(added.status == .created)
            let id = try #require(added.object["id"] as? String)
            let rest =
                #""last":"2026-03-31","reminder":"first","wordings":{"a":{"en":{"body":"","title":"Hello {team}"}},"#
                + #""b":{"de":{"body":"Hallo","title":""}}}}"#
            let experiment = #"{"first":"2026-02-02","id":"\#(id)",\#(rest)"#
            #expect(added.text == experiment)
            #expect(try await app.get(path, token: token).text == #"{"experiments":[\#(experiment)]}"#)
            let empty =
                #"{"a":{"members":0,"voted":0},"b":{"members":0,"voted":0},"difference":null,"sprints":[],"#
                + #""verdict":"too-few"}"#
            let shown = try await app.get("\(path)/\(id)", token: token)
            #expect(shown.classic == #"200 {"experiment":\#(experiment),"report":\#(empty)}"#)
            expectRejection(try await app.post(path, token: token, json: Self.json), 409, saying: "Another A/B test")
            #expect(try await app.send(.delete, "\(path)/\(id)", token: token).status == .noContent)
            expectRejection(try await app.get("\(path)/\(id)", token: token), 404, saying: "no such A/B test")
            expectRejection(try await app.send(.delete, "\(path)/\(id)", token: token), 404, saying: "no such A/B test")
            expectRejection(try await app.get("\(path)/none", token: token), 404, saying: "no such A/B test")
        }
    }

    @Test func `A report shows what was measured and none of the withheld numbers`() async throws {
        try await TestApp.with(now: TestTeam.firstMonday + 43 * TestTeam.day) { app in
            let team = try await app.makeTeam()
            let experiment = ReminderExperiment(
                teamID: team.id, kind: .first, first: try #require(CalendarDay("2026-01-05")),
                last: try #require(CalendarDay("2026-06-30")), wordings: [:])
            try await app.stores.insert(experiment)
            let measured = ExperimentResult.measured(
                ExperimentCounts(a: SideCounts(members: 70, voted: 56), b: SideCounts(members: 80, voted: 48)))
            for (number, result) in [measured, .withheld, nil].enumerated() {
                let start = TestTeam.firstMonday + Double(14 * number) * TestTeam.day
                let sprint = Sprint(
                    teamID: team.id, start: start, end: start + 14 * TestTeam.day, closes: start + 14 * TestTeam.day,
                    label: SprintLabel(year: 2026, number: 1 + number), threshold: 3, policy: .live)
                if result == nil {
                    // Over, but not measured yet.
                    _ = try await app.stores.start(sprint)
                    #expect(try await app.stores.ballots.close(sprint.key))
                } else {
                    var state = PublicationState.initial
                    state.close(policy: .live, threshold: 3)
                    let record = SprintRecord(sprint: sprint, state: state, eligible: 150)
                    try await app.stores.importSprints([record])
                }
                let occasion = Delivery.Occasion(
                    sprint: sprint.key, kind: .reminder, day: CalendarDay(instant: start, in: .gmt))
                _ = try await app.stores.insert(Delivery(occasion: occasion, state: .done, begun: start))
                if let result {
                    let key = ExperimentSprint(experimentID: experiment.id, start: start)
                    #expect(try await app.stores.write { try $0.record(result, of: key) })
                }
            }
            let response = try await app.get("\(team.path)/experiments/\(experiment.id)", token: team.lead.token)
            let report = try #require(response.object["report"] as? [String: Any])
            #expect(report["verdict"] as? String == "a-better")
            let difference = try #require(report["difference"] as? [String: Double])
            #expect(abs((difference["points"] ?? 0) - 20) < 1e-9)
            #expect(abs((difference["low"] ?? 0) - 5.24) < 0.005 && abs((difference["high"] ?? 0) - 33.39) < 0.005)
            let admin = try await app.token(of: try await app.makeUser("root", role: .admin))
            let outside = try await app.get("\(team.path)/experiments/\(experiment.id)", token: admin)
            #expect(outside.object["report"] is NSNull && outside.object["experiment"] != nil, "\(outside.classic)")
            let sprints = try #require(report["sprints"] as? [[String: Any]])
            #expect(sprints.map { $0["state"] as? String } == ["measured", "withheld", "waiting"])
            #expect(sprints.map { $0["label"] as? String } == ["2026/1", "2026/2", "2026/3"])
            #expect(sprints[0]["b"] as? [String: Int] == ["members": 80, "voted": 48])
            #expect(sprints[1]["a"] is NSNull && sprints[1]["b"] is NSNull)
        }
    }

    @Test(arguments: [
        (#"{"first":"2026-02-02","last":"2026-03-31","wordings":{}}"#, 400, "The field reminder is missing."),
        (#"{"reminder":"third","first":"2026-02-02","last":"2026-03-31","wordings":{}}"#, 422, "no such reminder"),
        (#"{"reminder":"first","first":"2.2.26","last":"2026-03-31","wordings":{}}"#, 400, "must be days"),
        (#"{"reminder":"first","first":"2026-02-02","last":"2026-03-31","wordings":{}}"#, 422, "the same"),
        (#"{"reminder":"first","first":"2026-01-25","last":"2026-03-31","wordings":{}}"#, 422, "tomorrow or later"),
        (
            #"{"reminder":"first","first":"2026-02-02","last":"2026-03-31","wordings":{"a":{"fr":{}}}}"#, 422,
            "There’s no such language here."
        ),
        (
            #"{"reminder":"first","first":"2026-02-02","last":"2026-03-31","wordings":{"a":{"en":{"title":"{name}"}}}}"#,
            422, "There’s no placeholder {name}."
        ),
    ])
    func `Invalid experiments are refused`(json: String, status: Int, detail: String) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let response = try await app.post("\(team.path)/experiments", token: team.lead.token, json: json)
            expectRejection(response, status, saying: detail)
        }
    }

    @Test func `Members may not, and others find no team`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam(members: 2)
            let other = try await app.makeTeam("Red")
            let path = "\(team.path)/experiments"
            let added = try await app.post(path, token: team.lead.token, json: Self.json)
            let one = "\(path)/\(try #require(added.object["id"] as? String))"
            for (token, status) in [(team.members[1].token, 403), (other.lead.token, 404)] {
                expectRejection(try await app.get(path, token: token), status)
                expectRejection(try await app.get(one, token: token), status)
                expectRejection(try await app.post(path, token: token, json: Self.json), status)
                expectRejection(try await app.send(.delete, one, token: token), status)
            }
            expectRejection(try await app.get(path), 401, saying: "log in")
            #expect(try await app.get(one, token: team.lead.token).status == .ok)
        }
    }
}
