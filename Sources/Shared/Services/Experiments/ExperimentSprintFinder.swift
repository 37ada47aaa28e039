import Domain
import Foundation
import Storage

/// Finds the sprints that belong to an experiment: those that started within its period.
struct ExperimentSprintFinder: Sendable {
    /// Whether the reminder was sent with the experiment's wordings.
    enum Sending: Sendable {
        /// To all recipients.
        case done
        /// Some recipients are still waiting for it.
        case underWay
        /// Not sent, or sent after the experiment's last day in other words.
        case none
    }

    private let store: any Store

    init(stores: Stores) {
        store = stores.rows
    }

    /// Ordered by start, including running sprints, without imported ones: another tool counted these, nobody was
    /// reminded of them here, and they have no receipts to measure.
    /// - Parameter zone: the team's.
    func started(in experiment: ReminderExperiment, zone: TimeZone) async throws -> [SprintRecord] {
        let period = experiment.first...max(experiment.first, experiment.last)
        var records: [SprintRecord] = []
        for key in try await store.read({ try $0.sprintKeys(of: experiment.teamID) })
        where period.contains(CalendarDay(instant: key.start, in: zone)) {
            if let record = try await store.sprint(key), !record.sprint.isImported { records.append(record) }
        }
        return records
    }

    /// The progress of a sprint's reminder. Absences can spread it over several days, all of which must lie within the
    /// period.
    func sending(of experiment: ReminderExperiment, in sprint: Sprint.Key) async throws -> Sending {
        let sent = try await store.read { try $0.reminders(of: sprint) }.filter {
            $0.occasion.kind == experiment.kind.deliveryKind && $0.state != .skipped
        }
        guard !sent.isEmpty, sent.allSatisfy({ $0.occasion.day <= experiment.last }) else { return .none }
        return sent.allSatisfy { $0.state == .done } ? .done : .underWay
    }
}
