import Domain
import Foundation
import NIOHTTP1
import Outbound

/// A store's response.
struct S3Response: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]

    /// How long the store asks us to wait.
    func wait(at now: Date) -> Duration? {
        headers.first(name: "Retry-After").flatMap { RetryAfter.duration($0, now: now) }
    }

    /// The store's clock minus ours, in seconds; `nil` if the response has no date.
    func clockDifference(at now: Date) -> Int? {
        guard let text = headers.first(name: "Date") else { return nil }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .gmt
        // IMF-fixdate (RFC 9110 §5.6.7).
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: text).map { Int($0.timeIntervalSince(now).rounded()) }
    }
}

extension S3Response {
    init(_ response: BoundedExchange.Response) {
        self.init(status: response.status, headers: response.headers, body: Array(response.body))
    }
}
