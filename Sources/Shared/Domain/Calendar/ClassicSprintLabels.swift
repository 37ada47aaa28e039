package import Foundation

/// The labels that the first clients' routes accept for the running sprint.
///
/// Those clients compute the label themselves, from the phone's clock and locale, as calendar year, slash, week of the
/// year divided by two: always like `isoFortnight`, whatever the team's calendar.
package enum ClassicSprintLabels {
    /// Whether a client may mean the running sprint by this label.
    ///
    /// True for the label of the current fortnight and of its two neighbours: a locale's weeks may start days earlier
    /// or later than ISO's, and a phone's clock may be wrong. If one of these is `Y/26`, then also for `Y/0`, `(Y+1)/0`
    /// and `(Y+1)/26`: around New Year a client may combine one year with the other's week.
    package static func accepts(_ label: SprintLabel, at now: Date, zone: TimeZone) -> Bool {
        guard label.suffix.isEmpty else { return false }
        return fortnights(around: now, zone: zone).contains { fortnight in
            if label == fortnight { return true }
            guard fortnight.number == 26 else { return false }
            return switch (label.year - fortnight.year, label.number) {
            case (0, 0), (1, 0), (1, 26): true
            default: false
            }
        }
    }

    /// The label of the current fortnight, as the first clients should compute it.
    package static func current(at now: Date, zone: TimeZone) -> SprintLabel {
        let calendar = SprintCalendar.isoFortnight
        return calendar.label(startDay: calendar.startDay(runningAt: now, in: zone))
    }

    /// The labels of the current fortnight and its two neighbours.
    static func fortnights(around now: Date, zone: TimeZone) -> [SprintLabel] {
        let calendar = SprintCalendar.isoFortnight
        let start = calendar.startDay(runningAt: now, in: zone)
        return [
            calendar.label(startDay: calendar.startDay(onOrBefore: start - 1)),
            calendar.label(startDay: start),
            calendar.label(startDay: calendar.startDay(afterStart: start)),
        ]
    }
}
