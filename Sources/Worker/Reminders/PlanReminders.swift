import Logging
import Services

/// Starts the reminders that are due, and records missed ones.
struct PlanReminders: JobHandler {
    static let kind = "planReminders"

    let planner: ReminderPlanner

    var kind: String { Self.kind }
    /// Few, since the schedule starts the same job again a minute later.
    let maximumAttempts = 3
    /// Thousands of teams take milliseconds each.
    let deadline = Duration.seconds(300)

    func run(_ context: JobContext) async throws {
        // Due at the job's time, not now: `Worker --once` runs what is due at its own time, which is earlier.
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
