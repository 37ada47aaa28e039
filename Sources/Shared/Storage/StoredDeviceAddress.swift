package import Domain
import Foundation

/// A device's address split into the parts that both stores keep.
package struct StoredDeviceAddress {
    /// The push service.
    package let service: PushService
    /// The registration or device token, or the endpoint of a browser.
    package let token: String
    /// `p256dh` of a browser's subscription, otherwise `nil`.
    package let publicKey: [UInt8]?
    /// `auth` of a browser's subscription, otherwise `nil`.
    let authenticationSecret: [UInt8]?

    /// For values read from a store.
    init(service: PushService, token: String, publicKey: [UInt8]?, authenticationSecret: [UInt8]?) {
        self.service = service
        self.token = token
        self.publicKey = publicKey
        self.authenticationSecret = authenticationSecret
    }

    /// For an address to be stored.
    package init(_ address: Device.Address) {
        switch address {
        case .fcm(let token), .apns(let token):
            self.init(service: address.service, token: token, publicKey: nil, authenticationSecret: nil)
        case .webPush(let subscription):
            self.init(
                service: .webPush, token: subscription.endpoint, publicKey: subscription.publicKey,
                authenticationSecret: subscription.authenticationSecret)
        }
    }

    /// The 32-byte key for uniqueness: a token may be too long for a database index. A browser that generates new keys
    /// for its endpoint is still the same device.
    var hash: [UInt8] {
        SecureBytes.sha256(Data("\(service.rawValue)|\(token)".utf8))
    }

    /// The address; `nil` for a browser without its keys.
    package var address: Device.Address? {
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
