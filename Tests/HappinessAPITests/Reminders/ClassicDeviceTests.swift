import Domain
import HTTPTypes
import HummingbirdTesting
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// `POST /user/registerDevice`.
@Suite struct ClassicDeviceTests {
    @Test func `A device is registered by form and by JSON`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let form = try await app.post(
                "/user/registerDevice", token: team.lead.token, form: "token=abc%3ADEF&platform=android")
            let json = try await app.post(
                "/user/registerDevice", token: team.lead.token, json: #"{"token":"ghi","platform":"ios"}"#)
            let again = try await app.post(
                "/user/registerDevice", token: team.lead.token, json: #"{"token":"ghi","platform":"ios"}"#)
            for response in [form, json, again] {
                #expect(response.classic == #"200 {"message":"Your device was registered."}"#)
            }
            let devices = try await app.stores.devices(of: team.lead.user.id)
            #expect(Set(devices.map(\.address)) == [.fcm(token: "abc:DEF"), .fcm(token: "ghi")])
            #expect(Set(devices.map(\.platform)) == [.android, .ios])
            #expect(devices.allSatisfy { $0.sessionID != nil && $0.appVersion == nil })
        }
    }

    @Test(arguments: [
        ("platform=android", "token is missing"), ("token=a", "platform is missing"),
        ("token=a&platform=web", "android, ios"), ("token=a&platform=Android", "android, ios"),
        ("token=&platform=ios", "token"), ("token=a%20b&platform=ios", "token"),
    ])
    func `An invalid device gives 400 with the reason`(form: String, words: String) async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let response = try await app.post("/user/registerDevice", token: team.lead.token, form: form)
            expectRejection(response, 400, classic: true, saying: words)
            #expect(try await app.stores.devices(of: team.lead.user.id).isEmpty)
        }
    }

    @Test func `A user in no team gets 409, and one who is not logged in gets 401`() async throws {
        try await TestApp.with { app in
            let user = try await app.makeUser("anna")
            let form = "token=a&platform=ios"
            let teamless = try await app.post("/user/registerDevice", token: app.token(of: user), form: form)
            expectRejection(teamless, 409, classic: true)
            expectRejection(try await app.post("/user/registerDevice", form: form), 401, classic: true)
            #expect(try await app.stores.devices(of: user.id).isEmpty)
        }
    }
}
