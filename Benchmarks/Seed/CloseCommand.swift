import ArgumentParser
import Domain
import Services
import Storage

/// `BenchmarkSeed close`: closes the latest sprint of each team, as if it were over.
struct CloseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "close", abstract: "Closes the latest sprint of each team, as if it were over.")

    @Argument(help: "The teams' ids.")
    var teams: [String]

    func run() async throws {
        let teamIDs = try teams.map { team in
            guard let id = Team.ID(team) else { throw ValidationError("\(team) is no team's id.") }
            return id
        }
        try await OpenStore.with { store in
            let closing = SprintClosing(stores: store.stores, secret: store.secrets.ballot)
            for id in teamIDs {
                guard let record = try await store.stores.read({ try $0.latestSprint(of: id) }) else { continue }
                try await closing.close(record.sprint.key)
            }
        }
    }
}
