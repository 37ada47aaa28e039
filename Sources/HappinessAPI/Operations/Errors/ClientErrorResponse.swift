import Shared

/// Whether somebody has dealt with an error. The raw values are those of JSON and addresses.
enum ClientErrorState: String, Codable, CaseIterable, Sendable {
    /// Nobody has said that it is mended.
    case open
    /// Somebody has.
    case resolved
}

/// A group of reported errors in JSON.
struct ClientErrorResponse: Encodable {
    let id: String
    let app: ClientErrorReport.App
    let level: ClientErrorReport.Level
    let message: String
    let state: ClientErrorState
    /// Reports of the days that are over.
    let count: Int
    /// Days in UTC.
    let firstSeen: String
    let lastSeen: String
    let versions: [String]
    let sample: Sample

    /// One report of the group.
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
