import Domain
import Foundation
import Services
import Storage

/// Enqueues the mails with the results of the sprints that are over.
///
/// They go out in the morning after the sprint's last instant, by the clock alone: if they followed an early close,
/// they would reveal to every mailbox on the way when the last vote came in.
struct PlanResultMails: JobHandler {
    static let kind = "planResultMails"

    /// Seconds. A result that is older is no longer mailed. Less than done jobs are kept (`DeleteDoneJobs.retention`),
    /// whose keys prevent a second mail.
    static let patience: TimeInterval = 86_400

    let stores: Stores
    let jobs: MailJobs

    var kind: String { Self.kind }
    /// Few, since the schedule starts the same job again an hour later.
    let maximumAttempts = 3
    /// Thousands of teams take milliseconds each.
    let deadline = Duration.seconds(300)

    func run(_ context: JobContext) async throws {
        try await stores.visitTeams { team in
            if team.memberCount > 0 { try await plan(team, in: context) }
        }
    }

    private func plan(_ team: Team, in context: JobContext) async throws {
        guard let latest = try await stores.read({ try $0.latestSprint(of: team.id) }) else { return }
        let before = try await stores.read { try $0.sprint(of: team.id, endingAt: latest.sprint.start) }
        for record in [before, latest].compactMap({ $0 })
        where ResultMailWriter.isShown(record) && !record.sprint.isImported {
            // Two days and more ago: no window can still be open.
            guard record.sprint.closes <= context.now, context.now < record.sprint.closes + 3 * Self.patience else {
                continue
            }
            let hour = try await stores.read { try $0.reminderSettings(of: team.id) }.hour
            let window = Self.window(of: record.sprint, zone: team.settings.zone, hour: hour)
            guard window.contains(context.now) else { continue }
            try await jobs.results(of: record.sprint.key, runAt: context.job.runAt)
        }
    }

    /// When the mails go out: from the hour in which the team gets its reminders, on the day on which the sprint
    /// closes.
    static func window(of sprint: Sprint, zone: TimeZone, hour: Int) -> Range<Date> {
        let day = CalendarDay(instant: sprint.closes, in: zone)
        let sameDay = day.instant(hour: hour, minute: 0, in: zone)
        let start = sameDay < sprint.closes ? day.adding(days: 1).instant(hour: hour, minute: 0, in: zone) : sameDay
        return start..<start + patience
    }
}
