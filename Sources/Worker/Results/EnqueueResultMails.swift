import Domain
import Services
import Storage

/// Enqueues a mail with a sprint's result for each member who wants one. A worker that dies halfway is followed by
/// another, which enqueues nothing twice.
struct EnqueueResultMails: JobHandler {
    /// Members per read.
    private static let pageSize = 500

    let stores: Stores
    let jobs: MailJobs

    let kind = MailJobs.resultsKind
    /// Ten thousand members take seconds.
    let deadline = Duration.seconds(120)

    func run(_ context: JobContext) async throws {
        let sprint = try context.parameters(as: SprintPayload.self)
        var after: User.ID?
        repeat {
            let ids = try await stores.read { [after] rows in
                try rows.memberIDs(of: sprint.teamID, after: after, through: nil, limit: Self.pageSize)
            }
            for user in try await stores.read({ try $0.users(ids) }) where user.takesResultMails && !user.isDisabled {
                try await jobs.result(of: sprint, to: user.id, runAt: context.job.runAt)
            }
            after = ids.count < Self.pageSize ? nil : ids.last
        } while after != nil
    }
}
