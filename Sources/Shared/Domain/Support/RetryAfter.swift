package import Foundation

/// The header `Retry-After` (RFC 9110 §10.2.3).
package enum RetryAfter {
    /// The requested delay; never negative, and `nil` if the text is neither seconds nor a date.
    package static func duration(_ text: String, now: Date) -> Duration? {
        let value = text.trimmingCharacters(in: .whitespaces)
        if let seconds = Int(value) { return .seconds(max(0, seconds)) }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        guard let date = formatter.date(from: value) else { return nil }
        return .seconds(max(0, date.timeIntervalSince(now).rounded(.up)))
    }
}
