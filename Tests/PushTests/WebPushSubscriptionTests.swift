import Crypto
import Domain
import Foundation
import TestSupport
import Testing

/// Which subscriptions of browsers are accepted.
@Suite struct WebPushSubscriptionTests {
    private static let point =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let secret = "BTBZMqHH6r4Tts7J_aSIgg"

    private static func validated(
        endpoint: String = "https://fcm.googleapis.com/fcm/send/a", p256dh: String = point, auth: String = secret,
        policy: WebPushPolicy = .standard
    ) throws -> WebPushSubscription {
        try .validated(endpoint: endpoint, p256dh: p256dh, auth: auth, policy: policy)
    }

    @Test(arguments: [
        "https://fcm.googleapis.com/fcm/send/dGVzdA:APA91bH-x_y",
        "https://updates.push.services.mozilla.com/wpush/v2/gAAAAABk",
        "https://wns2-par02p.notify.windows.com/w/?token=BQYAAAB%2bx%3d%3d",
        "https://web.push.apple.com/QGx1", "https://web.push.apple.com:443/QGx1", "https://FCM.googleapis.com/wp/a",
    ])
    func `Endpoints of the known services are accepted`(endpoint: String) throws {
        let subscription = try Self.validated(endpoint: endpoint)
        #expect(subscription.endpoint == endpoint)
        #expect(subscription.publicKey.count == 65)
        #expect(subscription.authenticationSecret.count == 16)
    }

    @Test(arguments: [
        "", "fcm.googleapis.com", "http://fcm.googleapis.com/a", "ftp://fcm.googleapis.com/a", "//fcm.googleapis.com/a",
        "https://fcm.googleapis.com", "https://fcm.googleapis.com/", "https://fcm.googleapis.com:8443/a",
        "https://fcm.googleapis.com:/a", "https://me@fcm.googleapis.com/a", "https://fcm.googleapis.com@10.0.0.1/a",
        "https://10.0.0.1\\@fcm.googleapis.com/a", "https://10.0.0.1#@fcm.googleapis.com/a",
        "https://fcm.googleapis.com/a#b", "https://fcm.googleapis.com/a b", "https://fcm.googleapis.com/a\r\nX: y",
        "https://fcm.googleapis.com./a", "https://fcm.googleapis.com.example.org/a", "https://evilfcm.googleapis.com/a",
        "https://notify.windows.com/a", "https://evilnotify.windows.com/a", "https://notify.windows.com.example.org/a",
        "https://localhost/a", "https://127.0.0.1/a", "http://127.0.0.1:80/a", "https://[::1]/a", "https://10.0.0.1/a",
        "https://169.254.169.254/latest/meta-data", "https://192.168.0.1/a", "https://2130706433/a", "https://0x7f.1/a",
        "https://push.example.org/a", "https://fcm.googleapis.com/" + String(repeating: "a", count: 2_048),
    ])
    func `The server is not sent anywhere else`(endpoint: String) throws {
        let error = #expect(throws: AppError.self) { try Self.validated(endpoint: endpoint) }
        #expect(error?.code == .unprocessable)
        #expect(error?.reason == .pushEndpointNotAllowed)
    }

    @Test func `An installation may list other services`() throws {
        let policy = try WebPushPolicy(setting: "push.example.org, *.push.example.com")
        for host in ["push.example.org", "x.push.example.com", "y.x.push.example.com"] {
            let endpoint = "https://\(host)/a"
            #expect(try Self.validated(endpoint: endpoint, policy: policy).endpoint == endpoint)
        }
        for host in ["fcm.googleapis.com", "push.example.com", "x.push.example.org"] {
            #expect(throws: AppError.self) { try Self.validated(endpoint: "https://\(host)/a", policy: policy) }
        }
    }

    @Test(arguments: ["", ",", "*", "*.com", "localhost", "127.0.0.1", "a.b:80", "https://a.b", "a*.b.c", "*.*.b.c"])
    func `A list that leads anywhere is refused`(setting: String) {
        let error = #expect(throws: SettingsError.self) { try WebPushPolicy(setting: setting) }
        #expect(error?.key == "WEBPUSH_ALLOWED_HOSTS")
    }

    @Test func `Only tests may name this machine`() throws {
        let endpoint = "http://127.0.0.1:8080/push"
        #expect(try Self.validated(endpoint: endpoint, policy: .standard.withLoopback).endpoint == endpoint)
        for other in ["http://127.0.0.2:8080/a", "http://localhost:8080/a", "https://127.0.0.1:8080/a"] {
            #expect(throws: AppError.self) { try Self.validated(endpoint: other, policy: .standard.withLoopback) }
        }
    }

    /// A point that is not on the curve, a compressed point, one without its first byte, a longer one, padding, other
    /// digits.
    @Test(arguments: [
        String(point.dropLast()) + "5", "AyVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcx",
        "JXGyvs3942BVGq8e0PTNNmwRzr5VX4m8t7GGpTM5FzFo7OLr4BhZe9MEebhuPI-OztV3ylkYfpJGmQ22ggCLDg", point + "AA",
        point + "=", point.replacing("_", with: "/"), "", "ä",
    ])
    func `A key that is no point on the curve is refused`(key: String) {
        let error = #expect(throws: AppError.self) { try Self.validated(p256dh: key) }
        #expect(error?.reason == .pushKeysNotValid)
    }

    @Test(arguments: ["", "BTBZMqHH6r4Tts7J_aSI", "BTBZMqHH6r4Tts7J_aSIggAA", "BTBZMqHH6r4Tts7J_aSIgg==", "ä"])
    func `A secret of another length is refused`(secret: String) {
        let error = #expect(throws: AppError.self) { try Self.validated(auth: secret) }
        #expect(error?.reason == .pushKeysNotValid)
    }
}
