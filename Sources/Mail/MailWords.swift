import Services

extension MailLocale {
    /// A whole number of the largest unit that fits exactly, days, hours or minutes: `7 days`, `1 Stunde`.
    func words(for duration: Duration) -> String {
        let minutes = Int(max(60, duration.components.seconds)) / 60
        let units = [(24 * 60, "day", "days", "Tag", "Tage"), (60, "hour", "hours", "Stunde", "Stunden")]
        let (size, english, englishMany, german, germanMany) =
            // Only from two on: "24 hours" is more precise than "1 day".
            units.first { minutes.isMultiple(of: $0.0) && (minutes >= 2 * $0.0 || $0.0 == 60) }
            ?? (1, "minute", "minutes", "Minute", "Minuten")
        let count = minutes / size
        return switch self {
        case .english: "\(count) \(count == 1 ? english : englishMany)"
        case .german: "\(count) \(count == 1 ? german : germanMany)"
        }
    }
}
