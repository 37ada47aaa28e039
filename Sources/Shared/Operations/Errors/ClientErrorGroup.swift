public import Foundation

/// Reports of one fault: how often it was seen and when, to the day.
///
/// A fault of the vote page may be reported whenever somebody votes, so that a group must not tell when that is. What an
/// administrator sees of it changes once a day, with the first report of the day: further ones are counted, and their
/// number is shown from the next day on. Which of the versions is new shows at once, for each shows once.
public struct ClientErrorGroup: Hashable, Sendable {
    /// Made from what its reports have in common.
    public typealias ID = Identifier<ClientErrorGroup>

    /// The latest versions that are kept of those it was seen in.
    public static let maximumVersions = 20

    /// One report of the group, the first one of `lastDay`.
    public struct Sample: Hashable, Sendable {
        /// Where in the program, innermost first; may be empty.
        public let stack: String
        /// The version that reported it.
        public let version: String
        /// What it ran on; may be empty.
        public let platform: String
        /// What else the program said.
        public let tags: [String: String]

        init(stack: String, version: String, platform: String, tags: [String: String]) {
            self.stack = stack
            self.version = version
            self.platform = platform
            self.tags = tags
        }

        init(_ report: ClientErrorReport) {
            self.init(stack: report.stack, version: report.version, platform: report.platform, tags: report.tags)
        }
    }

    /// What its reports have in common.
    public let id: ID
    /// Which program.
    public let app: ClientErrorReport.App
    /// How bad it was in the first report.
    public let level: ClientErrorReport.Level
    /// What went wrong.
    public let message: String
    /// Days count in UTC.
    public let firstDay: CalendarDay
    /// The day of the latest report.
    public var lastDay: CalendarDay
    /// Reports of the days before `lastDay`.
    public var countBefore: Int
    /// Reports of `lastDay`. Shown once that day is over: see `count(on:)`.
    public var countOnLastDay: Int
    /// The versions it was seen in, the latest one at the head.
    public var versions: [String]
    /// One report.
    public var sample: Sample
    /// Whether somebody has marked it as resolved.
    public var isResolved: Bool

    init(
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

    /// The group of a first report.
    public init(_ report: ClientErrorReport, on day: CalendarDay) {
        self.init(
            id: report.groupID, app: report.app, level: report.level, message: report.message, firstDay: day,
            lastDay: day, countBefore: 0, countOnLastDay: 1, versions: [report.version], sample: Sample(report),
            isResolved: false)
    }

    /// The group with one more report. One that is resolved is open again if the version is newer than all it was seen in:
    /// whoever has not updated yet goes on meeting what is mended.
    /// - Parameter day: today, in UTC. A process whose clock is behind counts for the day that is shown.
    public func adding(_ report: ClientErrorReport, on day: CalendarDay) -> ClientErrorGroup {
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

    /// Reports of the days that are over.
    /// - Parameter today: in UTC.
    public func count(on today: CalendarDay) -> Int {
        lastDay < today ? countBefore + countOnLastDay : countBefore
    }

    /// The day reports are counted under.
    public static func day(at instant: Date) -> CalendarDay {
        CalendarDay(instant: instant, in: .gmt)
    }
}

/// A version as it is ordered: by its numbers, then by its text. `1.10` is later than `1.9`, and `?` before all.
struct AppVersion: Comparable {
    private let numbers: [Int]
    private let text: String

    init(_ text: String) {
        self.text = text
        // What follows a hyphen or a plus is no number of the version (Semantic Versioning 2.0.0, 9 and 10).
        numbers = text.prefix { $0 != "-" && $0 != "+" }.split(separator: ".").map { Int($0.prefix(9)) ?? -1 }
    }

    static func < (left: Self, right: Self) -> Bool {
        left.numbers == right.numbers
            ? left.text < right.text : left.numbers.lexicographicallyPrecedes(right.numbers)
    }
}
