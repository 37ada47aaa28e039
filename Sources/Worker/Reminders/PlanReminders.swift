import Logging
import Shared

/// Starts the reminders that are due, and says of one that was missed that it was.
struct PlanReminders: JobHandler {
    static let kind = "planReminders"

    let planner: ReminderPlanner

    var kind: String { Self.kind }
    /// Few, for the next occasion comes in a minute and does the same.
    let maximumAttempts = 3
    /// Thousands of teams take milliseconds each.
    let deadline = Duration.seconds(300)

    func run(_ context: JobContext) async throws {
        // Due when this job was, not now: `Worker --once` does what is due at its instant, which lies before.
        for delivery in try await planner.plan(at: context.now, runAt: context.job.runAt) {
            Logger.current.warning(
                "A reminder was missed: no worker ran in its hours",
                metadata: [
                    "team.id": "\(delivery.occasion.sprint.teamID)", "delivery.kind": "\(delivery.occasion.kind)",
                    "delivery.day": "\(delivery.occasion.day)",
                ])
        }
    }
}
