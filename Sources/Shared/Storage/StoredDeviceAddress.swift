import Foundation

/// A device's address in the parts that both stores keep.
struct StoredDeviceAddress {
    /// Which service.
    let service: PushService
    /// The registration or device token; of a browser its endpoint.
    let token: String
    /// `p256dh` of a browser's subscription, else `nil`.
    let publicKey: [UInt8]?
    /// `auth` of a browser's subscription, else `nil`.
    let authenticationSecret: [UInt8]?

    /// What a store has read.
    init(service: PushService, token: String, publicKey: [UInt8]?, authenticationSecret: [UInt8]?) {
        self.service = service
        self.token = token
        self.publicKey = publicKey
        self.authenticationSecret = authenticationSecret
    }

    /// What a store is to write.
    init(_ address: Device.Address) {
        switch address {
        case .fcm(let token), .apns(let token):
            self.init(service: address.service, token: token, publicKey: nil, authenticationSecret: nil)
        case .webPush(let subscription):
            self.init(
                service: .webPush, token: subscription.endpoint, publicKey: subscription.publicKey,
                authenticationSecret: subscription.authenticationSecret)
        }
    }

    /// The key of uniqueness, 32 bytes, since a token may be longer than what a database puts into an index. A browser
    /// that makes new keys for its endpoint is the same device.
    var hash: [UInt8] {
        SecureBytes.sha256(Data("\(service.rawValue)|\(token)".utf8))
    }

    /// The address; `nil` for a browser's without its keys.
    var address: Device.Address? {
        switch service {
        case .fcm: return .fcm(token: token)
        case .apns: return .apns(token: token)
        case .webPush:
            guard let publicKey, let authenticationSecret else { return nil }
            return .webPush(
                WebPushSubscription(
                    endpoint: token, publicKey: publicKey, authenticationSecret: authenticationSecret))
        }
    }
}
