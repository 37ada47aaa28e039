package import Foundation

/// The days and minutes on which reminders of one sprint are sent. A pure value.
///
/// A day is *quiet* if it is on the team's weekend or one of its holidays; every other day is a working day.
/// `ReminderTiming` says on which working days the first reminder and, if the team wants one, the second are sent; the
/// second only on a later day than the first. A member who is absent on a reminder's day, or does not work on this day
/// of the week, gets it on their next working day, within the sprint or not at all.
///
/// It uses the current settings. If they change while a sprint runs, a reminder that was sent may get a new day in the
/// future, so the sender must know what was sent.
package struct ReminderCalendar: Sendable {
    /// The hour, team time, from which a missed reminder is not sent any more that day.
    package static let lastHour = 18
    /// Minutes past the hour. Firebase advises against sending within two minutes of the quarter hours, when load peaks
    /// ("Best practices when sending FCM messages at scale"). Teams are spread over these minutes by their ids.
    package static let minutes = 5...12

    /// The days on which something may be sent: those of the sprint that are not quiet and whose window begins within
    /// the sprint. In order.
    package let days: [CalendarDay]
    /// The reminders for all members who are present: none while they are off, otherwise at most one of each kind, in
    /// order.
    package let occasions: [ReminderOccasion]

    private let windows: [CalendarDay: Range<Date>]
    private let lastDay: CalendarDay
    private let sprint: Sprint
    private let zone: TimeZone
    private let teamHour: Int

    /// Plans the reminders of a sprint.
    /// - Parameter zone: the team's current time zone; the sprint may have been created in another.
    package init(sprint: Sprint, zone: TimeZone, settings: ReminderSettings) {
        let first = CalendarDay(instant: sprint.start, in: zone)
        lastDay = CalendarDay(instant: sprint.end.addingTimeInterval(-1), in: zone)
        (self.sprint, self.zone, teamHour) = (sprint, zone, settings.hour)
        var days: [CalendarDay] = []
        var windows: [CalendarDay: Range<Date>] = [:]
        for offset in 0...max(0, first.days(until: lastDay)) {
            let day = first.adding(days: offset)
            guard !settings.weekend.contains(day.dayOfWeek), !settings.holidays.contains(day) else { continue }
            guard let window = Self.window(on: day, hour: settings.hour, of: sprint, in: zone) else { continue }
            days.append(day)
            windows[day] = window
        }
        self.days = days
        self.windows = windows
        occasions = settings.isOn ? Self.occasions(on: days, windows: windows, settings: settings) : []
    }

    /// The reminder for a member with these absences on that day; `nil` for none.
    ///
    /// A member without absences gets each reminder on its occasion's day. If absences move the first to the second's
    /// day or later, only the first is sent. So each kind is sent at most once per sprint, one per day, the first
    /// before the second. The first is sent unless all days from its occasion's on are quiet or absences.
    /// - Parameter daysOff: days of the week on which the member does not work; each of them is like an absence.
    package func dueKind(
        on day: CalendarDay, absences: [Absence], daysOff: Set<Weekday> = []
    ) -> ReminderOccasion.Kind? {
        guard windows[day] != nil, !absences.contain(day), !daysOff.contains(day.dayOfWeek) else { return nil }
        // The first one listed wins: if both were moved to one day, the first is sent.
        return occasions.first { occasion in
            occasion.day <= day && movedDay(of: occasion, absences: absences, daysOff: daysOff) == day
        }?.kind
    }

    /// The time in which something may be sent on that day, whether or not it is an occasion's; `nil` if the day is not
    /// in `days`.
    package func window(on day: CalendarDay) -> Range<Date>? { windows[day] }

    /// The same for members who chose this hour; `nil` also if they get what is sent at the team's own: because it is
    /// the same hour, or because theirs is not within the sprint on that day.
    package func window(on day: CalendarDay, chosenHour hour: Int) -> Range<Date>? {
        guard windows[day] != nil, hour != teamHour else { return nil }
        return Self.window(on: day, hour: hour, of: sprint, in: zone)
    }

    private static func window(on day: CalendarDay, hour: Int, of sprint: Sprint, in zone: TimeZone) -> Range<Date>? {
        let from = day.instant(hour: hour, minute: minute(of: sprint.teamID), in: zone)
        let until = min(day.instant(hour: lastHour, minute: 0, in: zone), sprint.end)
        // A day that the time zone skipped maps to the next one, which is processed itself.
        guard sprint.start <= from, from < until, CalendarDay(instant: from, in: zone) == day else { return nil }
        return from..<until
    }

    /// Days left to vote in the sprint, including that day; at least 1 within the sprint.
    package func daysLeft(on day: CalendarDay) -> Int { day.days(until: lastDay) + 1 }

    /// Postpones a member's latest reminder to the next working day. Returns the absence since that reminder, which has
    /// this effect, and the new day; `nil` if no reminder was due yet, or no day is left.
    /// - Parameters:
    ///   - hour: the hour that the member chose; `nil` for the team's.
    ///   - daysOff: days of the week on which the member does not work.
    package func postponement(
        at now: Date, chosenHour hour: Int?, daysOff: Set<Weekday> = []
    ) -> (absence: Absence, day: CalendarDay)? {
        let today = CalendarDay(instant: now, in: zone)
        func start(of occasion: ReminderOccasion) -> Date {
            (hour.flatMap { window(on: occasion.day, chosenHour: $0) } ?? occasion.window).lowerBound
        }
        guard let occasion = occasions.last(where: { $0.day <= today && start(of: $0) <= now }),
            let day = days.first(where: { $0 > today && !daysOff.contains($0.dayOfWeek) })
        else { return nil }
        return (Absence(first: occasion.day, last: today), day)
    }

    /// The day on which a member with these absences gets it; `nil` if they are away until the sprint ends.
    private func movedDay(
        of occasion: ReminderOccasion, absences: [Absence], daysOff: Set<Weekday>
    ) -> CalendarDay? {
        days.first { day in
            day >= occasion.day && !absences.contain(day) && !daysOff.contains(day.dayOfWeek)
        }
    }

    private static func occasions(
        on days: [CalendarDay], windows: [CalendarDay: Range<Date>], settings: ReminderSettings
    ) -> [ReminderOccasion] {
        let secondToLast = days.dropLast().last
        let (first, second) =
            switch settings.timing {
            case .start: (days.first, secondToLast)
            case .end: (secondToLast ?? days.first, days.last)
            }
        guard let first, let second = second ?? days.last else { return [] }
        let planned = [(ReminderOccasion.Kind.first, first), (.second, second)]
        return planned.prefix(settings.remindsAgain && first < second ? 2 : 1).compactMap { kind, day in
            windows[day].map { ReminderOccasion(kind: kind, day: day, window: $0) }
        }
    }

    /// The team's minute, always the same. Hashed, because the digits of an imported id may not be random.
    static func minute(of teamID: Team.ID) -> Int {
        let hash = SecureBytes.sha256(Data(teamID.description.utf8))
        return minutes.lowerBound + hash.reduce(0) { ($0 * 256 + Int($1)) % minutes.count }
    }
}
