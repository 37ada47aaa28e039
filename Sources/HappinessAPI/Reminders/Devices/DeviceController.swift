import Domain
import Foundation
import Hummingbird
import Services

/// The caller's devices, which receive notifications.
struct DeviceController: Sendable {
    let devices: DeviceService
    let webPushPolicy: WebPushPolicy

    private struct RegistrationRequest: Decodable {
        let service: PushService
        /// For `fcm` and `apns`.
        let token: String?
        /// For `webpush`.
        let subscription: Subscription?
        let platform: Device.Platform
        let appVersion: String?
        let locale: String?

        /// A browser's `PushSubscription.toJSON()`, of which newer browsers may make more.
        struct Subscription: TakesUnknownFields {
            let endpoint: String
            let keys: Keys

            struct Keys: Decodable {
                let p256dh: String
                let auth: String
            }
        }
    }

    /// `POST /api/v1/me/devices`: 201 for a new device, 200 for one that was refreshed.
    func register(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal()
        let body = try await request.json(as: RegistrationRequest.self)
        let registration = try DeviceRegistration(
            address: try address(in: body), platform: body.platform, appVersion: body.appVersion, locale: body.locale)
        let (device, isNew) = try await devices.register(registration, by: caller)
        return try JSONBody.response(DeviceResponse(device, asker: caller), status: isNew ? .created : .ok)
    }

    /// `GET /api/v1/me/devices`
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal()
        let list = try await devices.list(of: caller)
        return try JSONBody.response(["devices": list.map { DeviceResponse($0, asker: caller) }])
    }

    /// `DELETE /api/v1/me/devices/{device}`
    func remove(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await devices.remove(context.pathID("device"), by: try context.requirePrincipal())
        return Response(status: .noContent)
    }

    private func address(in body: RegistrationRequest) throws -> Device.Address {
        switch body.service {
        case .fcm: return try .fcm(validating: try Self.required("token", body.token))
        case .apns: return try .apns(validating: try Self.required("token", body.token))
        case .webPush:
            let subscription = try Self.required("subscription", body.subscription)
            return .webPush(
                try WebPushSubscription.validated(
                    endpoint: subscription.endpoint, p256dh: subscription.keys.p256dh, auth: subscription.keys.auth,
                    policy: webPushPolicy))
        }
    }

    private static func required<Value>(_ name: String, _ value: Value?) throws -> Value {
        guard let value else { throw AppError(.malformed, "The field \(name) is missing.") }
        return value
    }
}

/// A device as its owner sees it, without the push address: anyone who has the address can send messages to it.
private struct DeviceResponse: Encodable {
    let id: String
    let service: PushService
    let platform: Device.Platform
    /// Missing if the app does not send it.
    let appVersion: String?
    let locale: String
    /// A day.
    let refreshed: String
    /// Whether it was registered in the current session.
    let current: Bool
    /// `WebPushSubscription.hash` as base64url; missing for apps.
    let subscriptionHash: String?

    init(_ device: Device, asker: Principal) {
        id = device.id.description
        service = device.address.service
        platform = device.platform
        appVersion = device.appVersion
        locale = device.locale
        refreshed = device.refreshed.description
        current = device.sessionID == asker.sessionID
        if case .webPush(let subscription) = device.address {
            subscriptionHash = subscription.hash.base64URL
        } else {
            subscriptionHash = nil
        }
    }
}

extension WebPushSubscription {
    /// SHA-256 of endpoint and keys, from which a browser recognizes its subscription. Nobody can send with it.
    fileprivate var hash: [UInt8] {
        let parts = [endpoint, publicKey.base64URL, authenticationSecret.base64URL]
        return SecureBytes.sha256(Data(parts.joined(separator: " ").utf8))
    }
}
