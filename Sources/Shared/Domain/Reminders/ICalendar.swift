package import Foundation

/// Whole days for a calendar program, as an iCalendar object (RFC 5545).
package struct ICalendar: Sendable {
    /// An entry of one or more whole days.
    package struct Event: Hashable, Sendable {
        /// The same for this entry whenever the calendar is read, and for no other (RFC 5545 §3.8.4.7).
        package let id: String
        package let title: String
        package let first: CalendarDay
        /// Not before `first`.
        package let last: CalendarDay
        /// A page about it.
        package let link: String?

        package init(id: String, title: String, first: CalendarDay, last: CalendarDay, link: String? = nil) {
            self.id = id
            self.title = title
            self.first = first
            self.last = last
            self.link = link
        }
    }

    /// Bytes of a line without its end (RFC 5545 §3.1).
    private static let lineLength = 75

    private let name: String
    private let events: [Event]
    private let now: Date

    /// - Parameters:
    ///   - name: shown by the program beside the entries.
    ///   - now: only the day is used, so that the text stays the same for a day.
    package init(name: String, events: [Event], now: Date) {
        self.name = name
        self.events = events
        self.now = now
    }

    /// The lines, each ended by CR LF.
    package var text: String {
        let stamp = Self.date(CalendarDay(instant: now, in: .gmt)) + "T000000Z"
        var lines = [
            "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Happiness Metric//Happiness Metric//EN", "CALSCALE:GREGORIAN",
            // RFC 7986 §5.1 and §5.7, and what older programs read instead.
            "NAME:\(Self.escaped(name))", "X-WR-CALNAME:\(Self.escaped(name))", "REFRESH-INTERVAL;VALUE=DURATION:P1D",
            "X-PUBLISHED-TTL:P1D",
        ]
        for event in events {
            lines += [
                "BEGIN:VEVENT", "UID:\(event.id)@happiness-metric", "DTSTAMP:\(stamp)",
                "DTSTART;VALUE=DATE:\(Self.date(event.first))",
                // The first day after it (§3.6.1).
                "DTEND;VALUE=DATE:\(Self.date(event.last.adding(days: 1)))",
                "SUMMARY:\(Self.escaped(event.title))",
            ]
            if let link = event.link { lines.append("URL:\(link)") }
            // Nobody is busy because a sprint runs.
            lines += ["TRANSP:TRANSPARENT", "END:VEVENT"]
        }
        lines.append("END:VCALENDAR")
        return lines.map { Self.folded($0) + "\r\n" }.joined()
    }

    /// `20261122`
    private static func date(_ day: CalendarDay) -> String {
        day.description.replacing("-", with: "")
    }

    /// RFC 5545 §3.3.11.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", ";", ",": escaped += "\\\(scalar)"
            case "\n": escaped += "\\n"
            // The grammar has no other control characters.
            case _ where scalar.properties.generalCategory == .control: escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Continues a long line on the next one, which begins with a space (§3.1). No character is divided.
    private static func folded(_ line: String) -> String {
        var folded = ""
        var length = 0
        for character in line.unicodeScalars {
            let size = UTF8.width(character)
            if length + size > lineLength {
                folded += "\r\n "
                length = 1
            }
            folded.unicodeScalars.append(character)
            length += size
        }
        return folded
    }
}
