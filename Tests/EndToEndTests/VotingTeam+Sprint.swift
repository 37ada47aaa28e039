import Domain
import Foundation
import TestSupport
import Testing

extension VotingTeam {
    /// The running sprint according to the API; the request starts it.
    func runningSprint(at url: String) async throws -> Sprint {
        let response = try await HTTPProbe.get("\(url)/api/v1/teams/\(id)/sprints/current", token: voters[0].token)
        let sprint = try #require(response.object["sprint"] as? [String: Any], "\(response.text)")
        func instant(_ key: String) throws -> Date {
            try Date(try #require(sprint[key] as? String), strategy: .iso8601)
        }
        return Sprint(
            teamID: id, start: try instant("start"), end: try instant("end"), closes: try instant("closes"),
            label: try #require((sprint["label"] as? String).flatMap(SprintLabel.init)),
            threshold: try #require(sprint["threshold"] as? Int),
            policy: try #require((sprint["policy"] as? String).flatMap(PublicationPolicy.init)))
    }
}

/// Polls until a condition is true; another process gives no notification.
func eventually(
    _ what: Comment, within limit: Duration, sourceLocation: SourceLocation = #_sourceLocation,
    _ isTrue: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !isTrue() {
        try #require(ContinuousClock.now < deadline, what, sourceLocation: sourceLocation)
        try await Task.sleep(for: .milliseconds(50))
    }
}
