public import AsyncHTTPClient
public import Logging
public import Shared

extension PushSettings {
    /// The driver of each service: the one that is named for it, or the log's, if that is named.
    /// - Parameters:
    ///   - client: for the drivers that speak HTTP/1.1; belongs to the caller. See `FCMDriver.clientConfiguration`.
    ///   - http2Client: for Apple's; belongs to the caller. See `APNsDriver.clientConfiguration`.
    ///   - vapid: `Secrets.vapid`.
    /// - Throws: `SettingsError` if a key file cannot be used, or there is no key for messages to browsers.
    public func makeDrivers(
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
