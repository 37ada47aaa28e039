import Domain

extension LocalizedTexts {
    /// A whole number of the largest unit that fits exactly, days, hours or minutes: `7 days`, `1 Stunde`.
    func text(for duration: Duration) -> String {
        let minutes = Int(max(60, duration.components.seconds)) / 60
        let (hour, day) = (60, 24 * 60)
        // Only from two on: "24 hours" is more precise than "1 day".
        if minutes.isMultiple(of: day), minutes >= 2 * day {
            return text("durations.days", count: minutes / day, ["count": String(minutes / day)])
        }
        if minutes.isMultiple(of: hour) {
            return text("durations.hours", count: minutes / hour, ["count": String(minutes / hour)])
        }
        return text("durations.minutes", count: minutes, ["count": String(minutes)])
    }
}
