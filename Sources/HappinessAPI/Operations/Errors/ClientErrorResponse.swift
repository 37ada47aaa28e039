import Domain

/// Whether an error has been dealt with. The raw values appear in JSON and URLs.
enum ClientErrorState: String, Codable, CaseIterable, Sendable {
    /// Not marked as fixed yet.
    case open
    /// Marked as fixed.
    case resolved
}

/// A group of reported errors in JSON.
struct ClientErrorResponse: Encodable {
    let id: String
    let app: ClientErrorReport.App
    let level: ClientErrorReport.Level
    let message: String
    let state: ClientErrorState
    /// Number of reports, not including today's.
    let count: Int
    /// A day in UTC.
    let firstSeen: String
    let lastSeen: String
    let versions: [String]
    let sample: Sample

    /// One example report of the group.
    struct Sample: Encodable {
        let stack: String
        let version: String
        let platform: String
        let tags: [String: String]
    }

    init(_ group: ClientErrorGroup, today: CalendarDay) {
        id = group.id.description
        app = group.app
        level = group.level
        message = group.message
        state = group.isResolved ? .resolved : .open
        count = group.count(on: today)
        firstSeen = group.firstDay.description
        lastSeen = group.lastDay.description
        versions = group.versions
        sample = Sample(
            stack: group.sample.stack, version: group.sample.version, platform: group.sample.platform,
            tags: group.sample.tags)
    }
}
