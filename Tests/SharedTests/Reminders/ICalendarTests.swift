import Domain
import Foundation
import Testing

@Suite struct ICalendarTests {
    private let now = Date(timeIntervalSince1970: 1_768_953_600)  // 2026-01-21
    private let day = CalendarDay("2026-02-28")

    private func text(_ name: String, _ events: [ICalendar.Event] = []) -> String {
        ICalendar(name: name, events: events, now: now).text
    }

    @Test func `An entry ends on the day after its last one`() throws {
        let day = try #require(day)
        let text = text(
            "Dates", [ICalendar.Event(id: "a", title: "Sprint", first: day, last: day, link: "https://x.example/")])
        let lines = text.split(separator: "\r\n").map(String.init)
        #expect(lines.first == "BEGIN:VCALENDAR" && lines.last == "END:VCALENDAR" && text.hasSuffix("\r\n"))
        for line in [
            "UID:a@happiness-metric", "DTSTART;VALUE=DATE:20260228", "DTEND;VALUE=DATE:20260301",
            "DTSTAMP:20260121T000000Z", "SUMMARY:Sprint", "URL:https://x.example/",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test func `Commas, line breaks and other control characters cannot end a value`() {
        let text = text("a,b;c\\d\nEND:VCALENDAR\r\u{0}e")
        #expect(text.contains("NAME:a\\,b\\;c\\\\d\\nEND:VCALENDAR  e\r\n"))
    }

    @Test func `Long lines are folded between characters`() {
        let name = String(repeating: "ä€😀", count: 40)
        let text = text(name)
        #expect(text.utf8.split(separator: 10).allSatisfy { $0.count <= 76 })
        #expect(text.replacing("\r\n ", with: "").contains("\r\nNAME:\(name)\r\n"))
    }
}
