import Foundation

/// A date in the two formats that mails need, always in UTC and independent of the machine's locale.
struct UTCDate {
    private let parts: DateComponents
    private let milliseconds: Int

    init(_ date: Date) {
        // Rounded, since a date is a binary fraction: .123 may be stored as .122999.
        let (seconds, rest) = Int((date.timeIntervalSince1970 * 1000).rounded()).quotientAndRemainder(dividingBy: 1000)
        milliseconds = rest
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second, .weekday],
            from: Date(timeIntervalSince1970: TimeInterval(seconds)))
    }

    /// `Sat, 21 Nov 2026 00:28:51 +0000` (RFC 5322 §3.3).
    var headerText: String {
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let day = days[(parts.weekday ?? 1) - 1]
        let month = months[(parts.month ?? 1) - 1]
        return "\(day), \(digits(parts.day, 2)) \(month) \(digits(parts.year, 4)) "
            + "\(digits(parts.hour, 2)):\(digits(parts.minute, 2)):\(digits(parts.second, 2)) +0000"
    }

    /// `20261121T002851123Z`, including milliseconds: file names sort by time.
    var fileNameText: String {
        "\(digits(parts.year, 4))\(digits(parts.month, 2))\(digits(parts.day, 2))T"
            + "\(digits(parts.hour, 2))\(digits(parts.minute, 2))\(digits(parts.second, 2))"
            + "\(digits(milliseconds, 3))Z"
    }

    private func digits(_ number: Int?, _ count: Int) -> String {
        let text = String(number ?? 0)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
