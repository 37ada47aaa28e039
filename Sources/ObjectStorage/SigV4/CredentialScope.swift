import Foundation

/// When, where and for which service a signature counts: one day of one region.
struct CredentialScope: Equatable, Sendable {
    /// As `x-amz-date` has it: `20130524T000000Z`, in UTC.
    let timestamp: String
    /// The region as the store calls itself, like `eu-central-1`.
    let region: String
    /// `s3` for this program; Amazon's generic examples use another.
    let service: String

    init(date: Date, region: String, service: String = "s3") {
        timestamp = date.formatted(
            Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt))
        self.region = region
        self.service = service
    }

    /// `20130524`.
    var day: String { String(timestamp.prefix(8)) }
    /// The scope as a string to sign has it, and behind the key's id a credential.
    var text: String { "\(day)/\(region)/\(service)/aws4_request" }
}
