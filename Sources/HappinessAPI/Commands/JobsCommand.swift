import ArgumentParser
import Foundation
import Services

/// `HappinessAPI jobs …`: manages jobs that failed for good.
struct JobsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs", abstract: "List jobs, and restart or drop those that have failed for good.",
        subcommands: [JobsListCommand.self, JobsRestartCommand.self, JobsDropCommand.self])
}

extension Job.State: ExpressibleByArgument {}
extension Identifier: ExpressibleByArgument {}

/// `jobs list`
struct JobsListCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List jobs, the first due at the top.",
        discussion: "A line for each: id, kind, state, when it’s due, attempts, and why the last one failed.")

    @Option(help: "Only jobs in this state: ready, leased, done or dead.")
    var state: Job.State?

    func run(in context: CommandContext) async throws {
        let jobs = try await context.jobs.list(state: state, by: .operator)
        if jobs.isEmpty { context.output("There are no \(state.map { "\($0.rawValue) " } ?? "")jobs.") }
        for job in jobs {
            context.output(Self.line(for: job))
        }
        if jobs.count == JobService.maximumCount {
            context.output("Showing the first \(jobs.count); there may be more.")
        }
    }

    private static func line(for job: JobSummary) -> String {
        let attempts = "\(job.attempts) \(job.attempts == 1 ? "attempt" : "attempts")"
        let facts = [
            job.id.description, job.kind, job.state.rawValue, job.runAt.formatted(.iso8601), attempts,
        ]
        return (facts + [job.lastError].compactMap { $0 }).joined(separator: "  ")
    }
}

/// `jobs restart ID`
struct JobsRestartCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "restart", abstract: "Restart a dead job now, with all its attempts.")

    @Argument(help: "The job's id.")
    var id: Job.ID

    func run(in context: CommandContext) async throws {
        try await context.jobs.restart(id, by: .operator)
        context.output("The job is due now.")
    }
}

/// `jobs drop ID`
struct JobsDropCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Remove a dead job permanently.", discussion: "Its work won’t be done.")

    @Argument(help: "The job's id.")
    var id: Job.ID

    @Flag(help: "Drop it even if it removes the rest of a deleted account, which then stays forever.")
    var leaveTraces = false

    func run(in context: CommandContext) async throws {
        try await context.jobs.drop(id, leavingTraces: leaveTraces, by: .operator)
        context.output("Job dropped.")
    }
}
