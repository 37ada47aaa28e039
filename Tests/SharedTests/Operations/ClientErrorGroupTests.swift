import Foundation
import Testing

@testable import Domain

/// How reports are grouped.
@Suite struct ClientErrorGroupTests {
    static func report(
        _ message: String = "NullPointerException in Vote", stack: String = "at a.Vote.cast(Vote.kt:42)",
        app: ClientErrorReport.App = .android, version: String = "2.1.0", platform: String = "Android 14",
        tags: [String: String] = [:]
    ) throws -> ClientErrorReport {
        try ClientErrorReport(
            level: .error, app: app, message: message, stack: stack, version: version, platform: platform, tags: tags)
    }

    private func day(_ text: String) throws -> CalendarDay { try #require(CalendarDay(text)) }

    @Test func `Reports that differ only in numbers and IDs form one group`() throws {
        let first = try Self.report("Team 4f0c1b7a9d2e48c6a3b5d7e9f1023456: 3 of 7", stack: "at a (b.js:1:2)")
        let second = try Self.report("Team 00001b7a9d2e48c6a3b5d7e9f1023456: 12 of 9", stack: "at a (b.js:30:4)")
        #expect(first.groupID == second.groupID)
        #expect(try Self.report("Team", stack: "at c (b.js:1:2)").groupID != first.groupID)
        #expect(try Self.report("Sprint", stack: "at a (b.js:1:2)").groupID != first.groupID)
        let web = try Self.report("Team 4f0c1b7a9d2e48c6a3b5d7e9f1023456: 3 of 7", stack: "at a (b.js:1:2)", app: .web)
        #expect(web.groupID != first.groupID)
    }

    @Test func `A report that says nothing is refused`() {
        #expect(throws: AppError.self) { try Self.report(" ", stack: "I am sad") }
    }

    @Test func `Implausible versions and tags are left out`() throws {
        let report = try Self.report(
            version: "maria@example.org",
            tags: ["screen": "vote", "bad name": "x", "mail": "maria@example.org", "value": "7"])
        #expect(report.version == "?")
        #expect(report.tags == ["screen": "vote", "mail": "…", "value": "#"])
        let many = Dictionary(uniqueKeysWithValues: (0..<50).map { ("tag\($0)", "x") })
        #expect(try Self.report(tags: many).tags.count == ClientErrorReport.maximumTags)
    }

    @Test func `What is shown changes only with the first report of a day`() throws {
        let (monday, tuesday) = (try day("2026-01-05"), try day("2026-01-06"))
        var group = ClientErrorGroup(try Self.report(platform: "Android 14"), on: monday)
        #expect(group.count(on: monday) == 0 && group.count(on: tuesday) == 1)
        let shown = (group.count(on: monday), group.sample, group.lastDay)
        for number in 0..<5 {
            group = group.adding(try Self.report(platform: "Android \(number)"), on: monday)
            #expect((group.count(on: monday), group.sample, group.lastDay) == shown)
        }
        #expect(group.count(on: tuesday) == 6)
        group = group.adding(try Self.report(platform: "Android 9"), on: tuesday)
        #expect(group.count(on: tuesday) == 6 && group.lastDay == tuesday && group.firstDay == monday)
        #expect(group.sample.platform == "Android 9")
    }

    @Test func `A resolved group reopens only with a newer version`() throws {
        let today = try day("2026-01-05")
        var group = ClientErrorGroup(try Self.report(version: "1.9.0"), on: today)
        group.isResolved = true
        for older in ["1.9.0", "1.8.7", "?", "1.9"] {
            group = group.adding(try Self.report(version: older), on: today)
            #expect(group.isResolved, "\(older)")
        }
        group = group.adding(try Self.report(version: "1.10.0"), on: today)
        #expect(!group.isResolved)
        #expect(group.versions == ["1.10.0", "1.9.0", "1.9", "1.8.7", "?"])
    }

    @Test func `The latest versions are kept`() throws {
        let today = try day("2026-01-05")
        var group = ClientErrorGroup(try Self.report(version: "1.0"), on: today)
        for minor in 1..<30 { group = group.adding(try Self.report(version: "1.\(minor)"), on: today) }
        #expect(group.versions.count == ClientErrorGroup.maximumVersions)
        #expect(group.versions.first == "1.29" && group.versions.last == "1.10")
    }
}
