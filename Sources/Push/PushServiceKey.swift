import Domain

/// The unit to which a `Retry-After` or a loss of trust applies: Google's service, Apple's, or that of one browser
/// vendor. A `Retry-After` from Mozilla says nothing about Chrome's service.
struct PushServiceKey: Hashable {
    /// The kind of service.
    let service: PushService
    /// Host of a browser's endpoint; `nil` for the others.
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
