import ArgumentParser
import Domain
import Foundation
import Services
import Storage

/// `BenchmarkSeed sprint`: starts a short sprint now, so that all members can vote once more. The product's own
/// calendars have no sprint shorter than a week, and creating thousands of new voters for every round would take
/// minutes.
struct SprintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sprint", abstract: "Waits for the end of a team's sprint and starts a short one.")

    @Option(help: "The team's id.")
    var team: String

    @Option(help: "Seconds the sprint lasts.")
    var seconds: Int

    /// A year no calendar reaches, so that the labels are unique.
    private static let labelYear = 9_000

    private struct Started: Encodable {
        let year: Int
        let number: String
    }

    func run() async throws {
        guard let teamID = Team.ID(team) else { throw ValidationError("\(team) is no team's id.") }
        try await OpenStore.with { store in
            let latest = try await store.stores.read { try $0.latestSprint(of: teamID) }?.sprint
            if let latest, latest.end > Date() {
                try await Task.sleep(for: .seconds(latest.end.timeIntervalSinceNow))
            }
            let start = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
            // Plus one, since the current second has partly passed.
            let end = start.addingTimeInterval(Double(seconds + 1))
            let number = (latest?.label.number ?? 0) % SprintLabel.numbers.upperBound + 1
            let settings = TeamSettings()
            let sprint = try await store.stores.transaction {
                try $0.start(
                    Sprint(
                        teamID: teamID, start: start, end: end, closes: end,
                        label: SprintLabel(year: Self.labelYear, number: number), threshold: settings.threshold,
                        policy: settings.policy))
            }
            try printJSON(Started(year: sprint.label.year, number: "\(sprint.label.number)\(sprint.label.suffix)"))
        }
    }
}
