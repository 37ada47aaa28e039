package import Foundation

/// Which reminders of one sprint must be sent, and to whom. A pure value.
package struct ReminderPlan: Sendable {
    private let sprint: Sprint.Key
    private let calendar: ReminderCalendar
    private let earlier: [Delivery]

    /// - Parameters:
    ///   - zone: the team's.
    ///   - settings: the current ones.
    ///   - earlier: the sprint's reminders so far, including skipped ones.
    package init(sprint: Sprint, zone: TimeZone, settings: ReminderSettings, earlier: [Delivery]) {
        self.sprint = sprint.key
        calendar = ReminderCalendar(sprint: sprint, zone: zone, settings: settings)
        self.earlier = earlier
    }

    /// Reminders that may be sent now and were not planned before: that of the day, and those that absences moved to
    /// it.
    /// - Parameter absences: one list per member with absences.
    package func due(at now: Date, absences: some Sequence<[Absence]>) -> [Delivery.Occasion] {
        let today = calendar.days.first { calendar.window(on: $0)?.contains(now) == true }
        guard let today else { return [] }
        // The empty list stands for all members without absences.
        let lists = [[]] + Array(absences)
        return [Delivery.Kind.reminder, .secondReminder]
            .map { Delivery.Occasion(sprint: sprint, kind: $0, day: today) }
            .filter { occasion in
                !earlier.contains { $0.occasion == occasion } && lists.contains { includes(occasion, absences: $0) }
            }
    }

    /// Reminders whose window has passed, without an earlier one of the same kind.
    package func missed(at now: Date) -> [Delivery.Occasion] {
        calendar.occasions.filter { $0.window.upperBound <= now }
            .map { Delivery.Occasion(sprint: sprint, kind: $0.kind.deliveryKind, day: $0.day) }
            .filter { occasion in !earlier.contains { $0.occasion.kind == occasion.kind } }
    }

    /// Whether a member with these absences gets the reminder: it is due for them on that day, and none of its kind was
    /// sent on an earlier day on which they were present. (Changing the settings while a sprint runs moves its
    /// occasions.)
    package func includes(_ occasion: Delivery.Occasion, absences: [Absence]) -> Bool {
        let dueKind = calendar.dueKind(on: occasion.day, absences: absences)
        guard dueKind?.deliveryKind == occasion.kind else { return false }
        return earlier.allSatisfy { delivery in
            let (kind, day) = (delivery.occasion.kind, delivery.occasion.day)
            return kind != occasion.kind || day >= occasion.day || delivery.state == .skipped
                || absences.contains { $0.contains(day) }
        }
    }

    /// Days left to vote, including that day.
    package func daysLeft(on day: CalendarDay) -> Int {
        calendar.daysLeft(on: day)
    }
}

extension ReminderOccasion.Kind {
    /// The kind of delivery for such a reminder.
    package var deliveryKind: Delivery.Kind {
        switch self {
        case .first: .reminder
        case .second: .secondReminder
        }
    }
}

extension Delivery.Kind {
    /// The reminder whose text is used; `nil` for a message, which has its own.
    package var reminderKind: ReminderOccasion.Kind? {
        switch self {
        case .reminder, .test: .first
        case .secondReminder: .second
        case .message: nil
        }
    }
}
