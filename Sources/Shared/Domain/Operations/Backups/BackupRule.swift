/// Which daily backups are kept: `BACKUP_KEEP`. `7d4w12m` keeps the latest backup of each of the last seven days, four
/// weeks (ISO 8601) and twelve months that have one.
package struct BackupRule: Hashable, Sendable {
    private let days: Int
    private let weeks: Int
    private let months: Int

    /// A week of days, a month of weeks, a year of months.
    package static let standard = BackupRule(days: 7, weeks: 4, months: 12)

    private init(days: Int, weeks: Int, months: Int) {
        self.days = days
        self.weeks = weeks
        self.months = months
    }

    /// Parses numbers from 1 to 999 with `d`, `w` and `m`, in this order; the last two may be left out.
    /// - Throws: `SettingsError`.
    package init(setting text: String) throws(SettingsError) {
        guard let match = text.wholeMatch(of: /([1-9][0-9]{0,2})d(?:([1-9][0-9]{0,2})w)?(?:([1-9][0-9]{0,2})m)?/),
            let days = Int(match.1)
        else {
            throw SettingsError(
                key: "BACKUP_KEEP", expectation: "numbers of days, weeks and months, such as 7d4w12m, 7d4w or 30d")
        }
        self.init(days: days, weeks: match.2.flatMap { Int($0) } ?? 0, months: match.3.flatMap { Int($0) } ?? 0)
    }

    /// The days whose backups are kept; the others can be deleted.
    package func kept(of all: some Sequence<CalendarDay>) -> Set<CalendarDay> {
        let latestFirst = all.sorted(by: >)
        func latest(_ count: Int, of period: (CalendarDay) -> [Int]) -> some Sequence<CalendarDay> {
            var seen: Set<[Int]> = []
            return latestFirst.filter { seen.insert(period($0)).inserted }.prefix(count)
        }
        return Set(latest(days) { [$0.year, $0.month, $0.day] })
            .union(latest(weeks) { [$0.isoWeek.year, $0.isoWeek.week] })
            .union(latest(months) { [$0.year, $0.month] })
    }
}
