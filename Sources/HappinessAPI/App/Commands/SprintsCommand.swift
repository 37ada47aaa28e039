import ArgumentParser
import Domain
import Foundation
import Logging
import Services

/// `HappinessAPI sprints …`: what an operator can do about a doubtful or wrong clock.
struct SprintsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sprints", abstract: "Confirm the clock, or reopen a sprint that a wrong clock has closed.",
        subcommands: [SprintsConfirmClockCommand.self, SprintsReopenCommand.self])
}

/// `sprints confirm-clock`
struct SprintsConfirmClockCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm-clock", abstract: "Say that this machine’s time is right, so that nothing waits for it.",
        discussion: """
            After days without any process, sprints close and jobs run only once the clock has been steady for ten \
            minutes. This ends the wait for all processes whose clock is at most a day ahead of the time \
            that it prints.
            """)

    func run(in context: CommandContext) async throws {
        // What the check would log, the command prints.
        let logger = Logger(label: "sprints") { _ in SwiftLogNoOpLogHandler() }
        let gap = try await context.clockCheck(logger: logger).confirm()
        context.output("This machine’s time:     \(gap.now.formatted(.iso8601))")
        context.output("The store’s newest time: \(gap.newest?.formatted(.iso8601) ?? "none")")
        context.output("Confirmed. Sprints that are over close within a minute, and jobs run.")
        context.output("If this time is wrong: set the clock at once, and run this again.")
    }
}

/// `sprints reopen TEAM SPRINT`
struct SprintsReopenCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "reopen", abstract: "Open a sprint again that a wrong clock has closed.",
        discussion: """
            Possible only while no vote was counted, no ballot paper was issued and nothing was published. Deletes \
            sprints of the team that have not begun yet. Set the clock first.
            """)

    @Argument(help: "The team’s name.")
    var team: String
    @Argument(
        help: "The sprint, such as 2026/3.",
        transform: { (text: String) throws -> SprintLabel in
            guard let label = SprintLabel(text) else { throw ValidationError("A sprint looks like 2026/3.") }
            return label
        })
    var sprint: SprintLabel

    func run(in context: CommandContext) async throws {
        let team = try await context.teams.find(name: team, by: .operator)
        let reopened = try await context.sprintReopening.reopen(sprint, of: team.id)
        context.output("Sprint \(sprint) of \(team.name) is open until \(reopened.closes.formatted(.iso8601)).")
        guard reopened.label != sprint else { return }
        context.output(
            "It is called \(reopened.label) now: devices that have seen its old ballot key would refuse the new one.")
    }
}
