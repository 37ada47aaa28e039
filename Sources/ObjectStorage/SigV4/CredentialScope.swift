import Foundation

/// The scope in which a signature is valid: one day, region and service.
struct CredentialScope: Equatable, Sendable {
    /// In the format of `x-amz-date`: `20130524T000000Z`, in UTC.
    let timestamp: String
    /// The store's name for its region, such as `eu-central-1`.
    let region: String
    /// `s3` for this program; Amazon's generic examples use others.
    let service: String

    init(date: Date, region: String, service: String = "s3") {
        timestamp = date.formatted(
            Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt))
        self.region = region
        self.service = service
    }

    /// For example `20130524`.
    var day: String { String(timestamp.prefix(8)) }
    /// The scope as it appears in a string to sign and, after the key's id, in a credential.
    var text: String { "\(day)/\(region)/\(service)/aws4_request" }
}
