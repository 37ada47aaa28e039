package import Foundation

extension CalendarDay {
    package static let secondsPerDay = 86_400

    /// The day that clocks of the zone show at the instant.
    ///
    /// Instants before year 1 or after year 9999 give the first or the last supported day.
    package init(instant: Date, in zone: TimeZone) {
        self.init(dayNumber: Self.dayNumber(at: instant, in: zone))
    }

    /// The first instant at which clocks of the zone have reached this day.
    ///
    /// Usually midnight. If clocks skip midnight (spring in many zones), it is the moment after the skip. If they show
    /// midnight twice, it is the earlier one. For a day that a zone left out altogether (Pacific/Apia, 2011-12-30), it
    /// is the start of the following one. So the first instants of successive days never decrease.
    package func firstInstant(in zone: TimeZone) -> Date {
        Self.firstInstant(dayNumber: dayNumber, in: zone)
    }

    /// The first instant at which clocks of the zone have reached that time of this day.
    ///
    /// If clocks skip the time, it is the moment after the skip; if they show it twice, it is the earlier one. On one
    /// day later times never come earlier, and `instant(hour: 0, minute: 0, in:)` is `firstInstant(in:)`.
    /// - Parameters:
    ///   - hour: 0...23.
    ///   - minute: 0...59.
    package func instant(hour: Int, minute: Int, in zone: TimeZone) -> Date {
        Self.firstInstant(localSeconds: dayNumber * Self.secondsPerDay + hour * 3_600 + minute * 60, in: zone)
    }

    package static func dayNumber(at instant: Date, in zone: TimeZone) -> Int {
        // A spare day at both ends, for the offset. Written so that a NaN ends at the lower bound.
        let lowest = Double((dayNumbers.lowerBound - 1) * secondsPerDay)
        let highest = Double((dayNumbers.upperBound + 2) * secondsPerDay)
        let exact = instant.timeIntervalSince1970
        let seconds = Int((exact > lowest ? min(exact, highest) : lowest).rounded(.down))
        let day = floorQuotient(seconds + offset(of: zone, at: seconds), secondsPerDay)
        return min(max(day, dayNumbers.lowerBound), dayNumbers.upperBound)
    }

    package static func firstInstant(dayNumber: Int, in zone: TimeZone) -> Date {
        firstInstant(localSeconds: dayNumber * secondsPerDay, in: zone)
    }

    /// The first t with `t + offset(t) >= local`, all in seconds. Two lookups, unless the clocks changed within the day
    /// before: no zone ever changed its clocks twice within two days.
    private static func firstInstant(localSeconds local: Int, in zone: TimeZone) -> Date {
        // Offsets stay within 16 hours of UTC (Manila before 1845 had the largest), so this is before the result.
        let early = local - secondsPerDay
        let offsetBefore = offset(of: zone, at: early)
        let guess = local - offsetBefore
        let offsetThen = offset(of: zone, at: guess)
        guard offsetThen != offsetBefore else { return Date(timeIntervalSince1970: Double(guess)) }
        // The clocks changed in (early, guess]. Before the change they were before `local`; after it they show t +
        // offsetThen, which may have skipped it.
        var before = early
        var changed = guess
        while changed - before > 1 {
            let middle = before + (changed - before) / 2
            if offset(of: zone, at: middle) == offsetBefore { before = middle } else { changed = middle }
        }
        return Date(timeIntervalSince1970: Double(max(changed, local - offsetThen)))
    }

    private static func offset(of zone: TimeZone, at seconds: Int) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
    }
}
