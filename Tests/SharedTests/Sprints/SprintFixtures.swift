import Domain
import Foundation

enum SprintTestData {
    /// Zones with special cases at midnight, in dates and offsets.
    static let zones = [
        "UTC", "Europe/Vienna", "America/New_York", "America/Sao_Paulo", "America/Asuncion", "America/Havana",
        "America/St_Johns", "Africa/Cairo", "Africa/Monrovia", "Asia/Beirut", "Asia/Tehran", "Asia/Amman",
        "Asia/Kathmandu", "Atlantic/Azores", "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Kiritimati",
        "Pacific/Kwajalein", "Pacific/Pago_Pago",
    ]

    static let calendars: [SprintCalendar] =
        [.isoFortnight] + (1...4).compactMap { SprintCalendar("cadence:2026-01-05:\($0)") }

    static func zone(_ identifier: String) throws -> TimeZone {
        guard let zone = TimeZone(identifier: identifier) else { throw UnknownZone(identifier: identifier) }
        return zone
    }

    /// Parses ISO 8601, `2026-01-05T00:00:00Z`.
    static func instant(_ text: String) throws -> Date {
        try Date(text, strategy: .iso8601)
    }

    struct UnknownZone: Error { let identifier: String }

    static let start = Date(timeIntervalSince1970: 0)
    /// 2101-01-01T00:00:00Z.
    static let end = Date(timeIntervalSince1970: 4_133_980_800)
}
