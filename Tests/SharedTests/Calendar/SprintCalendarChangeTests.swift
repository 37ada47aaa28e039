import Domain
import Foundation
import TestSupport
import Testing

/// The sprint after a change of calendar or time zone.
@Suite struct SprintCalendarChangeTests {
    struct Example: Sendable {
        let boundary: String
        let calendar: String
        let zone: String
        let label: String
        let end: String
    }

    @Test(arguments: [
        // The new calendar starts there too: nothing special.
        Example(
            boundary: "2026-01-05T00:00:00Z", calendar: "isoFortnight", zone: "UTC", label: "2026/1",
            end: "2026-01-19T00:00:00Z"),
        // One week of the new calendar's sprint is left: it becomes a sprint under that label.
        Example(
            boundary: "2026-01-12T00:00:00Z", calendar: "isoFortnight", zone: "UTC", label: "2026/1",
            end: "2026-01-19T00:00:00Z"),
        // The same if clocks go forward in that week: 167 hours are a week.
        Example(
            boundary: "2026-03-22T23:00:00Z", calendar: "isoFortnight", zone: "Europe/Vienna", label: "2026/6",
            end: "2026-03-29T22:00:00Z"),
        // From Vienna to New York: six hours are too short for a sprint.
        Example(
            boundary: "2026-01-04T23:00:00Z", calendar: "isoFortnight", zone: "America/New_York", label: "2026/1",
            end: "2026-01-19T05:00:00Z"),
        // From Vienna to Tokyo: two weeks minus eight hours.
        Example(
            boundary: "2026-01-04T23:00:00Z", calendar: "isoFortnight", zone: "Asia/Tokyo", label: "2026/1",
            end: "2026-01-18T15:00:00Z"),
        // The same with weekly sprints: less than a week, so it is merged with the next one.
        Example(
            boundary: "2026-01-04T23:00:00Z", calendar: "cadence:2026-01-05:1", zone: "Asia/Tokyo", label: "2026/3",
            end: "2026-01-18T15:00:00Z"),
        // Four weeks, three of them left.
        Example(
            boundary: "2026-01-12T00:00:00Z", calendar: "cadence:2026-01-05:4", zone: "UTC", label: "2026/1",
            end: "2026-02-02T00:00:00Z"),
    ])
    func `The remainder until the new calendar's next start is a sprint`(example: Example) throws {
        let calendar = try #require(SprintCalendar(example.calendar))
        let boundary = try SprintTestData.instant(example.boundary)
        let span = calendar.span(startingAt: boundary, in: try SprintTestData.zone(example.zone))
        #expect(span.start == boundary)
        #expect(span.end == (try SprintTestData.instant(example.end)))
        #expect(span.label.description == example.label)
    }

    @Test func `Any change gives a sprint of at least a week that ends on a regular start`() throws {
        var generator = SeededGenerator(seed: 7)
        let zones = try SprintTestData.zones.map(SprintTestData.zone)
        for _ in 0..<4000 {
            let zone = zones.randomElement(using: &generator) ?? .gmt
            let calendar = SprintTestData.calendars.randomElement(using: &generator) ?? .isoFortnight
            let seconds = Double(Int.random(in: 0..<4_000_000_000, using: &generator))
            let old = SprintTestData.calendars.randomElement(using: &generator) ?? .isoFortnight
            let running = old.span(
                containing: Date(timeIntervalSince1970: seconds), in: zones.randomElement(using: &generator) ?? .gmt)
            let span = calendar.span(after: running, in: zone)
            let own = calendar.span(containing: span.end.addingTimeInterval(-1), in: zone)
            #expect(span.start == running.end)
            #expect(span.end == own.end)
            #expect(span.label == own.label)
            let hours = span.end.timeIntervalSince(span.start) / 3600
            // 24 hours less if the zone skipped a day, 1 if clocks go forward; 5 weeks are 4 and a remainder.
            #expect((143...(5 * 168 + 25)).contains(hours), "\(running) then \(span) in \(zone.identifier)")
            let next = calendar.span(after: span, in: zone)
            #expect(next == calendar.span(containing: span.end, in: zone))
            #expect(next.label != span.label)
        }
    }
}
