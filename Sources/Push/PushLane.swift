import Shared

/// Who is asked for patience, or believed, as one: Google's service, Apple's, or one vendor's of those for browsers. A
/// `Retry-After` of Mozilla's says nothing about Chrome's.
struct PushLane: Hashable {
    /// Which service.
    let service: PushService
    /// Of a browser's endpoint; `nil` for the others.
    private let host: String?

    init(_ address: Device.Address) {
        service = address.service
        switch address {
        case .fcm, .apns: host = nil
        case .webPush(let subscription):
            let match = subscription.endpoint.firstMatch(of: /^[a-z]+:\/\/([^\/:]+)/)
            host = match.map { $0.output.1.lowercased() } ?? ""
        }
    }
}
