import ArgumentParser
import Domain
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

/// `jobs restart ID`, `jobs restart --all`, `jobs restart --kind KIND`
struct JobsRestartCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "restart", abstract: "Restart dead jobs now, with all their attempts.")

    @Argument(help: "The job's id.")
    var id: Job.ID?

    @Flag(help: "Restart all dead jobs.")
    var all = false

    @Option(help: "Restart all dead jobs of this kind, such as mail.result.")
    var kind: String?

    func validate() throws {
        guard [id != nil, all, kind != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("Name a job, or --all, or a --kind.")
        }
    }

    func run(in context: CommandContext) async throws {
        if let id {
            try await context.jobs.restart(id, by: .operator)
            return context.output("The job is due now.")
        }
        let count = try await context.jobs.restartAll(kind: kind, by: .operator)
        switch count {
        case 0: context.output("There are no dead \(kind.map { "\($0) " } ?? "")jobs.")
        case 1: context.output("One job is due now.")
        default: context.output("\(count) jobs are due now.")
        }
    }
}

/// `jobs drop ID`
struct JobsDropCommand: OperatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Remove a dead job permanently.", discussion: "Its work will not be done.")

    @Argument(help: "The job's id.")
    var id: Job.ID

    @Flag(help: "Drop it even if it removes the rest of a deleted account, which then stays forever.")
    var leaveTraces = false

    func run(in context: CommandContext) async throws {
        try await context.jobs.deleteDead(id, leavingTraces: leaveTraces, by: .operator)
        context.output("Job dropped.")
    }
}
