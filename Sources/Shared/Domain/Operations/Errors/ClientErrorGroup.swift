package import Foundation

/// Reports of one error: how often it occurred and when, to the day.
///
/// An error of the vote page may be reported whenever a member votes, so a group must not reveal that time. What an
/// administrator sees of it changes once a day, with the first report of the day: further ones are counted, and their
/// number is shown from the next day on. A new version is shown immediately, because each version is added only once.
package struct ClientErrorGroup: Hashable, Sendable {
    /// A hash of what its reports have in common.
    package typealias ID = Identifier<ClientErrorGroup>

    /// Maximum number of versions kept, the latest ones.
    package static let maximumVersions = 20

    /// One report of the group, the first one of `lastDay`.
    package struct Sample: Hashable, Sendable {
        /// The stack, innermost frame first; may be empty.
        package let stack: String
        /// The version that reported it.
        package let version: String
        /// The platform it ran on; may be empty.
        package let platform: String
        /// Further data sent by the program.
        package let tags: [String: String]

        package init(stack: String, version: String, platform: String, tags: [String: String]) {
            self.stack = stack
            self.version = version
            self.platform = platform
            self.tags = tags
        }

        package init(_ report: ClientErrorReport) {
            self.init(stack: report.stack, version: report.version, platform: report.platform, tags: report.tags)
        }
    }

    /// Derived from what its reports have in common.
    package let id: ID
    /// The reporting program.
    package let app: ClientErrorReport.App
    /// The severity in the first report.
    package let level: ClientErrorReport.Level
    /// The error message, without personal data.
    package let message: String
    /// The UTC day of the first report.
    package let firstDay: CalendarDay
    /// The UTC day of the latest report.
    package var lastDay: CalendarDay
    /// Number of reports before `lastDay`.
    package var countBefore: Int
    /// Number of reports on `lastDay`. Shown once that day is over: see `count(on:)`.
    package var countOnLastDay: Int
    /// The versions that reported it, latest first.
    package var versions: [String]
    /// An example for investigation.
    package var sample: Sample
    /// Whether an administrator has marked it as resolved.
    package var isResolved: Bool

    package init(
        id: ID, app: ClientErrorReport.App, level: ClientErrorReport.Level, message: String, firstDay: CalendarDay,
        lastDay: CalendarDay, countBefore: Int, countOnLastDay: Int, versions: [String], sample: Sample,
        isResolved: Bool
    ) {
        self.id = id
        self.app = app
        self.level = level
        self.message = message
        self.firstDay = firstDay
        self.lastDay = lastDay
        self.countBefore = countBefore
        self.countOnLastDay = countOnLastDay
        self.versions = versions
        self.sample = sample
        self.isResolved = isResolved
    }

    /// Creates the group for a first report.
    package init(_ report: ClientErrorReport, on day: CalendarDay) {
        self.init(
            id: report.groupID, app: report.app, level: report.level, message: report.message, firstDay: day,
            lastDay: day, countBefore: 0, countOnLastDay: 1, versions: [report.version], sample: Sample(report),
            isResolved: false)
    }

    /// The group with one more report. A resolved group is reopened if the version is newer than all earlier ones:
    /// users who have not updated yet still hit the fixed error.
    /// - Parameter day: today, in UTC. If a process's clock is behind, its reports are counted for the day that is
    ///   shown.
    package func adding(_ report: ClientErrorReport, on day: CalendarDay) -> ClientErrorGroup {
        var group = self
        if lastDay < day {
            group.countBefore += countOnLastDay
            group.countOnLastDay = 0
            group.lastDay = day
            group.sample = Sample(report)
        }
        group.countOnLastDay += 1
        if !versions.contains(report.version) {
            let isNewest = versions.allSatisfy { AppVersion($0) < AppVersion(report.version) }
            group.isResolved = isResolved && !isNewest
            group.versions = Array(
                (versions + [report.version]).sorted { AppVersion($1) < AppVersion($0) }.prefix(Self.maximumVersions))
        }
        return group
    }

    /// The number of reports, without those of the present day.
    /// - Parameter today: in UTC.
    package func count(on today: CalendarDay) -> Int {
        lastDay < today ? countBefore + countOnLastDay : countBefore
    }

    /// The UTC day under which reports are counted.
    package static func day(at instant: Date) -> CalendarDay {
        CalendarDay(instant: instant, in: .gmt)
    }
}

/// A version in sort order: by its numbers, then by its text. `1.10` is later than `1.9`, and `?` sorts before all.
struct AppVersion: Comparable {
    private let numbers: [Int]
    private let text: String

    init(_ text: String) {
        self.text = text
        // Text after a hyphen or a plus is not part of the version number (Semantic Versioning 2.0.0, 9 and 10).
        numbers = text.prefix { $0 != "-" && $0 != "+" }.split(separator: ".").map { Int($0.prefix(9)) ?? -1 }
    }

    static func < (left: Self, right: Self) -> Bool {
        left.numbers == right.numbers
            ? left.text < right.text : left.numbers.lexicographicallyPrecedes(right.numbers)
    }
}
