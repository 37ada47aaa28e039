import Domain
import Foundation
import TestSupport
import Testing

@Suite struct SprintCalendarTests {
    @Test(arguments: ["isoFortnight", "cadence:2026-01-05:1", "cadence:2026-01-05:2", "cadence:1999-12-27:4"])
    func `The text is read as it is printed`(text: String) throws {
        let calendar = try #require(SprintCalendar(text))
        #expect(calendar.description == text)
        let data = try JSONEncoder().encode([calendar])
        #expect(String(decoding: data, as: UTF8.self) == "[\"\(text)\"]")
        #expect(try JSONDecoder().decode([SprintCalendar].self, from: data) == [calendar])
    }

    @Test(arguments: [
        "", "isofortnight", "isoFortnight ", "cadence", "cadence:2026-01-05", "cadence:2026-01-06:2",
        "cadence:2026-01-05:0",
        "cadence:2026-01-05:5", "cadence:2026-01-05:02", "cadence:2026-01-05:+2", "cadence:2026-01-05:2:", "cadence::2",
        "cadence:2026-1-5:2", "cadence:2026-01-05:-1",
    ])
    func `Any other text is refused`(text: String) {
        #expect(SprintCalendar(text) == nil)
    }

    @Test func `A cadence created in code with wrong parts becomes the nearest valid one`() throws {
        let wednesday = try #require(CalendarDay("2026-01-07"))
        #expect(SprintCalendar.cadence(anchor: wednesday, weeks: 9).description == "cadence:2026-01-05:4")
        let span = SprintCalendar.cadence(anchor: wednesday, weeks: 0).span(containing: SprintTestData.start, in: .gmt)
        #expect(span.contains(SprintTestData.start))
        #expect(span.end.timeIntervalSince(span.start) == 7 * 86_400)
    }

    @Test(arguments: [
        ("2019-10-14", "2019/21"), ("2019-10-27", "2019/21"), ("2019-10-28", "2019/22"),
        ("2026-01-04", "2025/26"), ("2026-01-05", "2026/1"), ("2026-01-19", "2026/2"),
        // 2020 has 53 weeks: weeks 52, 53 and 1 are one sprint.
        ("2020-12-20", "2020/25"), ("2020-12-21", "2020/26"), ("2021-01-10", "2020/26"), ("2021-01-11", "2021/1"),
    ])
    func `Fortnights are named by their even ISO week`(day: String, label: String) throws {
        let noon = try #require(CalendarDay(day)).firstInstant(in: .gmt).addingTimeInterval(43_200)
        #expect(SprintCalendar.isoFortnight.span(containing: noon, in: .gmt).label.description == label)
    }

    @Test func `Fortnights from 1970 to 2100 are 3381 of two weeks and 24 of three`() throws {
        let from = try SprintTestData.instant("1970-01-05T00:00:00Z")
        let spans = SprintCalendar.isoFortnight.spans(from: from, until: SprintTestData.end, in: .gmt)
            .filter { $0.end <= SprintTestData.end }
        let weeks = Dictionary(grouping: spans) { Int($0.end.timeIntervalSince($0.start)) / (7 * 86_400) }
        #expect(weeks.mapValues(\.count) == [2: 3381, 3: 24])
        #expect(weeks[3]?.allSatisfy { $0.label.number == 26 } == true)
        #expect(Set(spans.map(\.label)).count == spans.count)
    }

    @Test(.thorough, arguments: SprintTestData.zones)
    func `Sprints tile time and start at the first instant of a local Monday`(identifier: String) throws {
        let zone = try SprintTestData.zone(identifier)
        for calendar in SprintTestData.calendars {
            let spans = calendar.spans(from: SprintTestData.start, until: SprintTestData.end, in: zone)
            #expect(try #require(spans.first).contains(SprintTestData.start))
            #expect(try #require(spans.last).end >= SprintTestData.end)
            #expect(Set(spans.map(\.label)).count == spans.count, "labels are unique")
            for (span, next) in zip(spans, spans.dropFirst()) where span.end != next.start || span.start >= span.end {
                Issue.record("\(span) is not followed by \(next)")
            }
            for span in spans {
                let day = CalendarDay(instant: span.start, in: zone)
                let eve = CalendarDay(instant: span.start.addingTimeInterval(-1), in: zone)
                if day.weekday != 1 || eve >= day { Issue.record("\(span) in \(identifier) starts on \(day)") }
            }
        }
    }

    @Test(arguments: SprintTestData.zones)
    func `An instant is in its span, and neighbours are inverse`(identifier: String) throws {
        let zone = try SprintTestData.zone(identifier)
        var generator = SeededGenerator(seed: 20_260_105)
        for calendar in SprintTestData.calendars {
            for _ in 0..<200 {
                let seconds = Double.random(in: 0..<SprintTestData.end.timeIntervalSince1970, using: &generator)
                let instant = Date(timeIntervalSince1970: seconds)
                let span = calendar.span(containing: instant, in: zone)
                let next = calendar.span(after: span, in: zone)
                #expect(span.contains(instant))
                #expect(next.start == span.end)
                #expect(calendar.span(before: next, in: zone) == span)
                #expect(calendar.span(after: calendar.span(before: span, in: zone), in: zone) == span)
                #expect(calendar.span(containing: span.start, in: zone) == span)
                #expect(calendar.span(containing: span.end.addingTimeInterval(-0.001), in: zone) == span)
                #expect(calendar.span(startingAt: span.start, in: zone) == span)
                #expect(calendar.spans(from: span.start, until: span.end, in: zone) == [span])
            }
        }
    }

    @Test(arguments: [
        ("Asia/Tehran", "2021-03-21T20:30:00Z", "2021/6"), ("Asia/Tehran", "2010-03-21T20:30:00Z", "2010/6"),
        ("Pacific/Pitcairn", "1998-04-27T08:30:00Z", "1998/9"), ("Asia/Baghdad", "1985-03-31T21:00:00Z", "1985/7"),
    ])
    func `A Monday whose midnight is skipped starts its sprint after the skip`(
        zone: String, start: String, label: String
    ) throws {
        let zone = try SprintTestData.zone(zone)
        let start = try SprintTestData.instant(start)
        let span = SprintCalendar.isoFortnight.span(containing: start, in: zone)
        #expect(span.start == start)
        #expect(span.label.description == label)
        #expect(SprintCalendar.isoFortnight.span(containing: start.addingTimeInterval(-1), in: zone).end == start)
    }

    @Test func `An empty span of time has no sprints`() {
        let now = SprintTestData.start
        #expect(SprintCalendar.isoFortnight.spans(from: now, until: now, in: .gmt).isEmpty)
        #expect(SprintCalendar.isoFortnight.spans(from: now, until: now.addingTimeInterval(-1), in: .gmt).isEmpty)
    }

    @Test func `Instants beyond all calendars do not trap`() throws {
        let zone = try SprintTestData.zone("Pacific/Kiritimati")
        for calendar in SprintTestData.calendars {
            for seconds in [-Double.infinity, -1e300, -7e10, .nan, 2.6e11, 1e300, .infinity] {
                let instant = Date(timeIntervalSince1970: seconds)
                let span = calendar.span(containing: instant, in: zone)
                #expect(span.start < span.end)
                #expect(SprintLabel(span.label.description) == span.label)
                _ = calendar.span(startingAt: instant, in: zone)
            }
            let nearTheEnd = Date(timeIntervalSince1970: 2.53e11)
            #expect(calendar.spans(from: nearTheEnd, until: Date(timeIntervalSince1970: 1e15), in: zone).count > 10)
        }
    }
}
