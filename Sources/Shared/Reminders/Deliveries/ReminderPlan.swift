public import Foundation

/// Which reminders of one sprint are to be sent, and to whom they go. Pure.
public struct ReminderPlan: Sendable {
    private let sprint: Sprint.Key
    private let calendar: ReminderCalendar
    private let earlier: [Delivery]

    /// - Parameters:
    ///   - zone: the team's.
    ///   - settings: as they are now.
    ///   - earlier: the sprint's reminders so far, skipped ones included.
    public init(sprint: Sprint, zone: TimeZone, settings: ReminderSettings, earlier: [Delivery]) {
        self.sprint = sprint.key
        calendar = ReminderCalendar(sprint: sprint, zone: zone, settings: settings)
        self.earlier = earlier
    }

    /// What may be sent now and was not planned before: that of the day, and what absence has moved there.
    /// - Parameter absences: the lists of those who have any.
    public func due(at now: Date, absences: some Sequence<[Absence]>) -> [Delivery.Occasion] {
        let today = calendar.days.first { calendar.window(on: $0)?.contains(now) == true }
        guard let today else { return [] }
        // The empty list stands for all who are never away.
        let lists = [[]] + Array(absences)
        return [Delivery.Kind.reminder, .secondReminder]
            .map { Delivery.Occasion(sprint: sprint, kind: $0, day: today) }
            .filter { occasion in
                !earlier.contains { $0.occasion == occasion } && lists.contains { includes(occasion, absences: $0) }
            }
    }

    /// The reminders whose window is over and of whose kind there was none.
    public func missed(at now: Date) -> [Delivery.Occasion] {
        calendar.occasions.filter { $0.window.upperBound <= now }
            .map { Delivery.Occasion(sprint: sprint, kind: $0.kind.deliveryKind, day: $0.day) }
            .filter { occasion in !earlier.contains { $0.occasion.kind == occasion.kind } }
    }

    /// Whether somebody with these absences gets the reminder: it is theirs on that day, and none of its kind went out
    /// on an earlier day on which they were there. (Settings that change while a sprint runs move its occasions.)
    public func includes(_ occasion: Delivery.Occasion, absences: [Absence]) -> Bool {
        let dueKind = calendar.dueKind(on: occasion.day, absences: absences)
        guard dueKind?.deliveryKind == occasion.kind else { return false }
        return earlier.allSatisfy { delivery in
            let (kind, day) = (delivery.occasion.kind, delivery.occasion.day)
            return kind != occasion.kind || day >= occasion.day || delivery.state == .skipped
                || absences.contains { $0.contains(day) }
        }
    }

    /// Days on which one can still vote, that day included.
    public func daysLeft(on day: CalendarDay) -> Int {
        calendar.daysLeft(on: day)
    }
}

extension ReminderOccasion.Kind {
    /// The delivery of such a reminder.
    var deliveryKind: Delivery.Kind {
        switch self {
        case .first: .reminder
        case .second: .secondReminder
        }
    }
}

extension Delivery.Kind {
    /// Whose words it is sent in; `nil` for a message, which has its own.
    public var reminderKind: ReminderOccasion.Kind? {
        switch self {
        case .reminder, .test: .first
        case .secondReminder: .second
        case .message: nil
        }
    }
}
