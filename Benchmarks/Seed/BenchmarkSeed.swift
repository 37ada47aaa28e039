import ArgumentParser

/// Prepares stores for `bench.py`, `growth.py` and `attack.py`, and measures what HTTP would only blur. Store and
/// secrets come from the settings in the environment, as for the server.
@main
struct BenchmarkSeed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "BenchmarkSeed",
        abstract: "Fills a store for the benchmarks and the attacks.",
        subcommands: [
            VotersCommand.self, SprintCommand.self, GrowthCommand.self, ClosingCommand.self, DevicesCommand.self,
            SinkCommand.self, BareServerCommand.self, TeamsCommand.self, CloseCommand.self,
            CrowdCommand.self, BallotsCommand.self, KeysCommand.self,
        ])
}
