import ArgumentParser
import Domain
import Foundation
import Services
import Storage

/// `BenchmarkSeed ballots`: adds ballots to the store, in teams with ten sprints each. The last sprint runs; the others
/// are closed and cleared.
struct BallotsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ballots", abstract: "Adds ballots in closed and running sprints.")

    @Option(help: "Number of ballots: a multiple of ten sprints.")
    var count: Int

    @Option(help: "Number of ballots in a sprint.")
    var perSprint = 1_000

    private static let sprintsPerTeam = 10
    /// Seconds that contain so many sprints: none is longer than three weeks.
    private static let past: TimeInterval = 10 * 21 * 86_400
    /// Number of teams that vote at the same time. Making a ballot takes longer than storing it.
    private static let width = 4

    private struct Made: Encodable {
        let teams: Int
    }

    func validate() throws {
        guard perSprint > 0, count > 0, count.isMultiple(of: perSprint * Self.sprintsPerTeam) else {
            throw ValidationError("--count must be a multiple of \(Self.sprintsPerTeam) times --per-sprint.")
        }
    }

    func run() async throws {
        let teams = count / perSprint / Self.sprintsPerTeam
        try await OpenStore.with { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<teams {
                    if index >= Self.width { try await group.next() }
                    group.addTask { try await addTeam(to: store) }
                }
                try await group.waitForAll()
            }
            try printJSON(Made(teams: teams))
        }
    }

    private func addTeam(to store: OpenStore) async throws {
        // Random, since the command runs several times on one store.
        let name = "ballots.\(Team.ID.random())"
        let team = try await store.addTeam(name)
        let (user, session) = try await store.addUser(name)
        try await store.stores.transaction {
            try $0.add(Membership(teamID: team.id, userID: user.id, role: .lead), secret: store.secrets.ballot)
        }
        let now = Date()
        let settings = team.settings
        let closing = SprintClosing(stores: store.stores, secret: store.secrets.ballot)
        let spans = settings.calendar.spans(from: now.addingTimeInterval(-Self.past), until: now, in: settings.zone)
        for span in spans.suffix(Self.sprintsPerTeam) {
            let sprint = try await store.stores.transaction {
                try $0.start(
                    Sprint(
                        teamID: team.id, start: span.start, end: span.end, closes: span.end, label: span.label,
                        threshold: settings.threshold, policy: settings.policy))
            }
            try await Voter(in: store, session: session, sprint: sprint.key).castAll(count: perSprint)
            if span.end <= now { try await closing.close(sprint.key) }
        }
    }
}
