package import AsyncHTTPClient
package import Domain
package import Logging
package import Ports

extension PushSettings {
    /// The driver of each service: the one in the settings, or the `log` driver if that is set.
    /// - Parameters:
    ///   - client: for drivers that use HTTP/1.1; the caller shuts it down. See `FCMDriver.clientConfiguration`.
    ///   - http2Client: for Apple's; the caller shuts it down. See `APNsDriver.clientConfiguration`.
    ///   - vapid: `Secrets.vapid`.
    /// - Throws: `SettingsError` if a key file is unusable, or the key for Web Push is missing.
    package func makeDrivers(
        client: HTTPClient, http2Client: HTTPClient, vapid: VAPIDKey?, logger: Logger
    ) throws -> [PushService: any PushDriver] {
        var made: [PushService: any PushDriver] = [:]
        if drivers.contains(.log) {
            let log = LogDriver(logger: logger)
            for service in PushService.allCases { made[service] = log }
        }
        if let fcm { made[.fcm] = try FCMDriver(settings: fcm, client: client) }
        if let apns {
            made[.apns] = APNsDriver(settings: apns, key: try APNsKey(settings: apns), client: http2Client)
        }
        if let webPush {
            guard let vapid else {
                throw SettingsError(key: "VAPID_PRIVATE_KEY", expectation: "set for webpush")
            }
            made[.webPush] = WebPushDriver(settings: webPush, key: vapid, client: client)
        }
        return made
    }
}
