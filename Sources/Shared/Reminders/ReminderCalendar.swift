public import Foundation

/// On which days, and in which minutes, reminders of one sprint go out. Pure.
///
/// A day is *quiet* when it is a Saturday, a Sunday or one of the team's holidays. The first reminder goes out on the
/// sprint's first day that is not quiet, the second, if the team wants one, on the second-last (Thursday of the last
/// week, mostly), unless that is not after the first's. Who is absent on such a day gets it on their next day that is
/// not quiet, within the sprint or not at all.
///
/// It goes by the settings of now. Where they change while a sprint runs, a reminder that went out may have a new day
/// ahead: who sends has to know what was sent.
public struct ReminderCalendar: Sendable {
    /// The hour, team time, from which a reminder that was missed is not made up any more that day.
    public static let lastHour = 18
    /// Minutes past the hour: Firebase asks not to send within two minutes of the quarter hours, when everybody does
    /// ("Best practices when sending FCM messages at scale"). Teams are spread over them by their ids.
    public static let minutes = 5...12

    /// The days on which something may go out: those of the sprint that are not quiet and whose window begins within
    /// the sprint. In their order.
    public let days: [CalendarDay]
    /// The reminders for everybody who is there: none while they are off, else at most one of each kind, in order.
    public let occasions: [ReminderOccasion]

    private let windows: [CalendarDay: Range<Date>]
    private let lastDay: CalendarDay

    /// The reminders of a sprint.
    /// - Parameter zone: the team's time zone now; the sprint may have been cut in another.
    public init(sprint: Sprint, zone: TimeZone, settings: ReminderSettings) {
        let first = CalendarDay(instant: sprint.start, in: zone)
        lastDay = CalendarDay(instant: sprint.end.addingTimeInterval(-1), in: zone)
        let minute = Self.minute(of: sprint.teamID)
        var days: [CalendarDay] = []
        var windows: [CalendarDay: Range<Date>] = [:]
        for offset in 0...max(0, first.days(until: lastDay)) {
            let day = first.adding(days: offset)
            guard !Self.isQuiet(day, holidays: settings.holidays) else { continue }
            let from = day.instant(hour: settings.hour, minute: minute, in: zone)
            let until = min(day.instant(hour: Self.lastHour, minute: 0, in: zone), sprint.end)
            // A day that the zone left out has its instants on the next one, which has its own turn.
            guard sprint.start <= from, from < until, CalendarDay(instant: from, in: zone) == day else { continue }
            days.append(day)
            windows[day] = from..<until
        }
        self.days = days
        self.windows = windows
        occasions = settings.isOn ? Self.occasions(on: days, windows: windows, remindsAgain: settings.remindsAgain) : []
    }

    /// Which reminder somebody with these absences gets on that day; `nil` for none.
    ///
    /// Who is there all the time gets each on its occasion's day. If absence moves the first to the second's day, or
    /// beyond, only the first is sent. So each kind comes at most once a sprint, one a day, the first before the second;
    /// and the first comes unless all days from its occasion's on are quiet or of absence.
    public func dueKind(on day: CalendarDay, absences: [Absence]) -> ReminderOccasion.Kind? {
        guard windows[day] != nil, !absences.contains(where: { $0.contains(day) }) else { return nil }
        // The first one listed wins: where both were moved to one day, the first is sent.
        return occasions.first { occasion in
            occasion.day <= day && movedDay(of: occasion, absences: absences) == day
        }?.kind
    }

    /// Whether on that day anybody with one of these lists of absences gets a reminder that was moved there. Together
    /// with the days of `occasions` this tells on which days there is something to send.
    /// - Parameter absences: each person's; those of people without any need not be in it.
    public func hasMoved(on day: CalendarDay, absences: some Sequence<[Absence]>) -> Bool {
        guard windows[day] != nil, !occasions.contains(where: { $0.day == day }) else { return false }
        return absences.contains { dueKind(on: day, absences: $0) != nil }
    }

    /// When something may be sent on that day, whether or not it is that of an occasion; `nil` for a day that is none of
    /// `days`.
    public func window(on day: CalendarDay) -> Range<Date>? {
        windows[day]
    }

    /// Days on which one can still vote in the sprint, that day included; at least 1 within the sprint.
    public func daysLeft(on day: CalendarDay) -> Int {
        day.days(until: lastDay) + 1
    }

    /// The day on which somebody with these absences gets it; `nil` if they are away until the sprint's end.
    private func movedDay(of occasion: ReminderOccasion, absences: [Absence]) -> CalendarDay? {
        days.first { day in
            day >= occasion.day && !absences.contains { $0.contains(day) }
        }
    }

    private static func occasions(
        on days: [CalendarDay], windows: [CalendarDay: Range<Date>], remindsAgain: Bool
    ) -> [ReminderOccasion] {
        var planned: [(ReminderOccasion.Kind, CalendarDay)] = []
        if let first = days.first { planned.append((.first, first)) }
        // Of two days or fewer the second-last is the first's, or there is none.
        if remindsAgain, days.count > 2 { planned.append((.second, days[days.count - 2])) }
        return planned.compactMap { kind, day in
            windows[day].map { ReminderOccasion(kind: kind, day: day, window: $0) }
        }
    }

    private static func isQuiet(_ day: CalendarDay, holidays: Set<CalendarDay>) -> Bool {
        day.weekday > 5 || holidays.contains(day)
    }

    /// The team's minute, always the same. Hashed, for an id of another origin may not be random in its digits.
    static func minute(of teamID: Team.ID) -> Int {
        let hash = SecureBytes.sha256(Data(teamID.description.utf8))
        return minutes.lowerBound + hash.reduce(0) { ($0 * 256 + Int($1)) % minutes.count }
    }
}
