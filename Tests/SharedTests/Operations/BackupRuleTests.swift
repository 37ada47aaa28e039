import Domain
import Testing

/// How long backups are kept.
@Suite struct BackupRuleTests {
    /// Days by their distance from the first of January 2026.
    private static func days(_ numbers: some Sequence<Int>) -> [CalendarDay] {
        numbers.compactMap { CalendarDay(year: 2026, month: 1, day: 1)?.adding(days: $0) }
    }

    @Test func `A week of days, a month of weeks and a year of months are kept`() throws {
        let kept = BackupRule.standard.kept(of: Self.days(0..<730)).map(\.description).sorted()
        #expect(
            kept == [
                "2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31", "2027-06-30", "2027-07-31",
                "2027-08-31", "2027-09-30", "2027-10-31", "2027-11-30", "2027-12-12", "2027-12-19", "2027-12-25",
                "2027-12-26", "2027-12-27", "2027-12-28", "2027-12-29", "2027-12-30", "2027-12-31",
            ])
    }

    /// A backup is deleted only after a later one of its period, so deleting every day keeps as much as deleting once.
    @Test func `Deleting every day keeps the same as deleting at the end`() throws {
        for rule in [BackupRule.standard, try BackupRule(setting: "2d3w"), try BackupRule(setting: "1d1w5m")] {
            var present: [CalendarDay] = []
            for day in Self.days(0..<500) {
                present = Array(rule.kept(of: present + [day]))
            }
            #expect(Set(present) == rule.kept(of: Self.days(0..<500)))
        }
    }

    @Test func `Days without a worker do not use up places`() throws {
        let kept = try BackupRule(setting: "3d").kept(of: Self.days([0, 40, 41, 300]))
        #expect(kept == Set(Self.days([40, 41, 300])))
    }

    @Test(arguments: ["", "7", "0d", "4w", "12m4w7d", "1000d", "7d 4w", "-1d", "7d4m2w"])
    func `Anything else is refused`(text: String) {
        let error = #expect(throws: SettingsError.self) { try BackupRule(setting: text) }
        #expect(error?.key == "BACKUP_KEEP")
    }
}
