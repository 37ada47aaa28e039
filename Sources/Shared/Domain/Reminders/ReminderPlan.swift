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
    /// it, each at the team's hour and at those that members chose.
    /// - Parameters:
    ///   - absences: one list per member with absences.
    ///   - chosenHours: the hours that members chose for themselves.
    ///   - daysOff: the days of the week on which members do not work, one set for each who has some.
    package func due(
        at now: Date, absences: some Sequence<[Absence]>, chosenHours: Set<Int> = [], daysOff: Set<Set<Weekday>> = []
    ) -> [Delivery.Occasion] {
        // The empty list stands for all members without absences, the empty set for those who work every day.
        let lists = [[]] + Array(absences)
        let weeks: [Set<Weekday>] = [[]] + Array(daysOff)
        return calendar.days.flatMap { day in
            let hours: [Int?] =
                (calendar.window(on: day)?.contains(now) == true ? [nil] : [])
                + chosenHours.sorted().filter { calendar.window(on: day, chosenHour: $0)?.contains(now) == true }
            return hours.flatMap { hour in
                [Delivery.Kind.reminder, .secondReminder].map {
                    Delivery.Occasion(sprint: sprint, kind: $0, day: day, hour: hour)
                }
            }
        }.filter { occasion in
            !earlier.contains { $0.occasion == occasion }
                && lists.contains { list in
                    weeks.contains { includes(occasion, absences: list, chosenHour: occasion.hour, daysOff: $0) }
                }
        }
    }

    /// Reminders whose window has passed, without an earlier one of the same kind.
    package func missed(at now: Date) -> [Delivery.Occasion] {
        calendar.occasions.filter { $0.window.upperBound <= now }
            .map { Delivery.Occasion(sprint: sprint, kind: $0.kind.deliveryKind, day: $0.day) }
            .filter { occasion in
                !earlier.contains { $0.occasion.kind == occasion.kind && $0.occasion.hour == nil }
            }
    }

    /// Whether a member with these absences gets the reminder: it is due for them on that day and at their hour, and
    /// none of its kind was sent on an earlier day on which they were present. (Changing the settings while a sprint
    /// runs moves its occasions.)
    /// - Parameters:
    ///   - hour: the hour that the member chose; `nil` for the team's.
    ///   - daysOff: days of the week on which the member does not work.
    package func includes(
        _ occasion: Delivery.Occasion, absences: [Absence], chosenHour hour: Int? = nil, daysOff: Set<Weekday> = []
    ) -> Bool {
        let ownHour = hour.flatMap { calendar.window(on: occasion.day, chosenHour: $0) == nil ? nil : $0 }
        guard ownHour == occasion.hour else { return false }
        let dueKind = calendar.dueKind(on: occasion.day, absences: absences, daysOff: daysOff)
        guard dueKind?.deliveryKind == occasion.kind else { return false }
        return earlier.allSatisfy { delivery in
            let (kind, day) = (delivery.occasion.kind, delivery.occasion.day)
            return kind != occasion.kind || day >= occasion.day || delivery.state == .skipped
                || absences.contain(day) || daysOff.contains(day.dayOfWeek)
        }
    }

    /// Days left to vote, including that day.
    package func daysLeft(on day: CalendarDay) -> Int { calendar.daysLeft(on: day) }
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
