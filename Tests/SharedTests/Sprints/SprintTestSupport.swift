import Foundation

@testable import Shared

enum SprintTestData {
    /// SplitMix64: property tests use it, so that a failure can be reproduced with the same seed.
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

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
