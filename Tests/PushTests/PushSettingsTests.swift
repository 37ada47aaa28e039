import Domain
import Foundation
import Ports
import Services
import Testing

@Suite struct PushSettingsTests {
    private static let apns = [
        "PUSH_DRIVERS": "apns", "APNS_KEY_FILE": "/srv/AuthKey.p8", "APNS_KEY_ID": "ABC123DEFG",
        "APNS_TEAM_ID": "DEF123GHIJ", "APNS_TOPIC": "org.example.happiness",
    ]

    @Test func `Without settings, browsers get messages, and others are log lines`() throws {
        let push = try Settings(values: [:]).push
        #expect(push.drivers == [.log, .webPush])
        #expect(push.fcm == nil && push.apns == nil && push.webPush != nil)
        #expect(push.rate == PushRate(requestsPerSecond: 5_000, ramp: .seconds(60)))
    }

    /// On MongoDB several processes must agree on the key, so none is generated.
    @Test func `On MongoDB, browsers get messages once there is a key`() throws {
        let secret = String(repeating: "s", count: Secrets.minimumLength)
        let store = [
            "DATABASE_URL": "mongodb://127.0.0.1/happiness?replicaSet=rs", "JWT_SECRET": secret,
            "BALLOT_SECRET": secret,
        ]
        #expect(try Settings(values: store).push.drivers == [.log])
        let key = ["VAPID_PRIVATE_KEY": VAPIDKey().privateText]
        #expect(try Settings(values: store.merging(key) { $1 }).push.drivers == [.log, .webPush])
    }

    @Test func `Several drivers may be named`() throws {
        let push = try Settings(
            values: Self.apns.merging([
                "PUSH_DRIVERS": "fcm, apns,webpush", "FCM_SERVICE_ACCOUNT_FILE": "/srv/key.json",
                "FCM_BASE_URL": "http://127.0.0.1:9000/", "PUSH_RAMP_SECONDS": "0", "PUSH_REQUESTS_PER_SECOND": "100",
                "APNS_BASE_URL": "https://api.sandbox.push.apple.com",
            ]) { $1 }
        ).push
        #expect(push.drivers == [.fcm, .apns, .webPush])
        #expect(push.fcm?.serviceAccountFile == "/srv/key.json")
        #expect(push.fcm?.baseURL == "http://127.0.0.1:9000")
        #expect(push.apns?.keyFile == "/srv/AuthKey.p8")
        #expect(push.apns?.keyID == "ABC123DEFG")
        #expect(push.apns?.teamID == "DEF123GHIJ")
        #expect(push.apns?.topic == "org.example.happiness")
        #expect(push.apns?.baseURL == "https://api.sandbox.push.apple.com")
        #expect(push.rate == PushRate(requestsPerSecond: 100, ramp: .zero))
    }

    @Test func `The standard hosts are the vendors'`() throws {
        let push = try Settings(
            values: Self.apns.merging([
                "PUSH_DRIVERS": "fcm,apns", "FCM_SERVICE_ACCOUNT_FILE": "/srv/key.json",
            ]) { $1 }
        ).push
        #expect(push.fcm?.baseURL == "https://fcm.googleapis.com")
        #expect(push.apns?.baseURL == "https://api.push.apple.com")
    }

    @Test(arguments: [
        ([:], "mailto:happiness@localhost.invalid"),
        (["PUBLIC_URL": "http://happiness.example.org", "MAIL_FROM": "Us <us@example.org>"], "mailto:us@example.org"),
        (["PUBLIC_URL": "https://happiness.example.org"], "https://happiness.example.org"),
        (["PUBLIC_URL": "https://happiness.example.org", "VAPID_SUBJECT": "mailto:a@b.example"], "mailto:a@b.example"),
    ])
    func `Browser vendors are told whom to ask`(values: [String: String], subject: String) throws {
        let push = try Settings(values: values.merging(["PUSH_DRIVERS": "webpush"]) { $1 }).push
        #expect(push.webPush?.subject == subject)
    }

    @Test(arguments: [
        (["PUSH_DRIVERS": "pigeon"], "PUSH_DRIVERS"), (["PUSH_DRIVERS": "log,log"], "PUSH_DRIVERS"),
        (["PUSH_DRIVERS": ","], "PUSH_DRIVERS"), (["PUSH_DRIVERS": "fcm"], "FCM_SERVICE_ACCOUNT_FILE"),
        (["FCM_BASE_URL": "fcm.googleapis.com"], "FCM_BASE_URL"),
        (["PUSH_RAMP_SECONDS": "-1"], "PUSH_RAMP_SECONDS"), (["PUSH_RAMP_SECONDS": "1.5"], "PUSH_RAMP_SECONDS"),
        (["PUSH_REQUESTS_PER_SECOND": "0"], "PUSH_REQUESTS_PER_SECOND"),
        (["PUSH_REQUESTS_PER_SECOND": "10001"], "PUSH_REQUESTS_PER_SECOND"),
        (apns.merging(["APNS_KEY_FILE": ""]) { $1 }, "APNS_KEY_FILE"),
        (apns.merging(["APNS_KEY_ID": "abc"]) { $1 }, "APNS_KEY_ID"),
        (apns.merging(["APNS_TEAM_ID": ""]) { $1 }, "APNS_TEAM_ID"),
        (apns.merging(["APNS_TOPIC": "a b"]) { $1 }, "APNS_TOPIC"),
        (["APNS_KEY_ID": "abc"], "APNS_KEY_ID"), (["APNS_BASE_URL": "ftp://apple.com"], "APNS_BASE_URL"),
        (["VAPID_SUBJECT": "us@example.org"], "VAPID_SUBJECT"),
        (["VAPID_SUBJECT": "http://example.org"], "VAPID_SUBJECT"), (["VAPID_SUBJECT": "https://"], "VAPID_SUBJECT"),
    ])
    func `A mistake names its key`(values: [String: String], key: String) throws {
        let error = #expect(throws: SettingsError.self) { try Settings(values: values) }
        #expect(error?.key == key)
    }

    @Test func `With MongoDB, the key for browsers must be set if they are named`() throws {
        let secret = String(repeating: "s", count: Secrets.minimumLength)
        var values = [
            "DATABASE_URL": "mongodb://127.0.0.1:1/x?replicaSet=rs0", "JWT_SECRET": secret, "BALLOT_SECRET": secret,
        ]
        #expect(try Secrets.load(Settings(values: values)).vapid == nil)
        values["PUSH_DRIVERS"] = "webpush"
        let missing = try #require(throws: SettingsError.self) { try Secrets.load(Settings(values: values)) }
        #expect(missing.key == "VAPID_PRIVATE_KEY")
        let key = VAPIDKey()
        values["VAPID_PRIVATE_KEY"] = key.privateText
        #expect(try Secrets.load(Settings(values: values)).vapid?.publicText == key.publicText)
        for wrong in ["short", String(repeating: "A", count: 43), key.privateText + "="] {
            values["VAPID_PRIVATE_KEY"] = wrong
            let error = try #require(throws: SettingsError.self) { try Secrets.load(Settings(values: values)) }
            #expect(error.key == "VAPID_PRIVATE_KEY")
            #expect(!error.description.contains(wrong))
        }
    }
}
