import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// The simulator rejects what the documentation says is rejected.
@Suite struct FCMSimulatorTests {
    /// A body and the expected error; `nil` if it is accepted.
    struct Case: Sendable, CustomTestStringConvertible {
        let body: String
        var words: String?

        var testDescription: String { body.count > 100 ? "\(body.prefix(100))…" : body }

        /// Fields in addition to a token.
        static func with(_ fields: String, _ words: String? = nil) -> Case {
            Case(body: #"{"message":{"token":"t",\#(fields)}}"#, words: words)
        }
    }

    @Test(arguments: [
        Case(body: #"{"message":{"token":"t"}}"#), Case(body: #"{"message":{"fid":"t"}}"#),
        Case(body: #"{"message":{"token":"t"},"validate_only":false}"#),
        .with(#""android":{"collapse_key":"a","ttl":"3.5s","priority":"HIGH"}"#),
        .with(#""apns":{"payload":{"aps":{"category":"A","anything":7}},"headers":{"apns-priority":"5"}}"#),
        .with(#""data":{"a":"1"},"webpush":{"notification":{"x":[1]}}"#),
        .with(##""android":{"notification":{"color":"#00ff00","notificationCount":2,"sticky":true}}"##),
        Case(body: "{", words: "Invalid JSON payload"), Case(body: "[]", words: "Invalid value"),
        Case(body: #"{"message":{}}"#, words: "recipient"),
        Case(body: #"{"message":{"token":"t","topic":"x"}}"#, words: "recipient"),
        Case(body: #"{"message":{"topic":"/topics/x"}}"#, words: "topic"),
        Case(body: #"{"message":{"token":7}}"#, words: "message.token"),
        Case(
            body: #"{"message":{"token":"t"},"priority":"HIGH"}"#,
            words: #"Unknown name \"priority\": Cannot find field"#),
        .with(#""to":"x""#, #"Unknown name \"to\" at 'message': Cannot find field"#),
        .with(#""android":{"timeToLive":"1s"}"#, "Cannot find field"),
        .with(#""android":{"collapseKey":"a","collapse_key":"b"}"#, "comes twice"),
        .with(#""data":{"a":1}"#, "message.data[0].value"), .with(#""data":{"a":true}"#, "TYPE_STRING"),
        .with(#""data":{"from":"x"}"#, "payload key"), .with(#""data":{"google.x":"x"}"#, "payload key"),
        .with(#""data":{"gcm.notification.x":"x"}"#, "payload key"),
        .with(#""data":{"message_type":"x"}"#, "payload key"),
        .with(#""android":{"ttl":"1"}"#, "message.android.ttl"),
        .with(#""android":{"ttl":3600}"#, "message.android.ttl"),
        .with(#""android":{"ttl":"2419201s"}"#, "Invalid ttl"), .with(#""android":{"ttl":"-1s"}"#, "Invalid ttl"),
        .with(#""android":{"priority":"high"}"#, "message.android.priority"),
        .with(#""android":{"notification":{"color":"green"}}"#, "Invalid color"),
        .with(#""android":{"notification":{"notificationCount":1.5}}"#, "notification_count"),
        .with(#""android":{},"androidV2":{}"#, "Only one of"),
        .with(#""apns":{"headers":{"apns-priority":10}}"#, "message.apns.headers[0].value"),
        .with(#""apns":{"headers":{"apns-priority":"10"}}"#, "apns-priority 5"),
        .with(#""notification":{"title":"a"},"apns":{"headers":{"apns-priority":"7"}}"#, "apns-priority"),
        .with(#""apns":{"headers":{"apns-collapse-id":"\#(String(repeating: "x", count: 65))"}}"#, "64 bytes"),
        .with(#""apns":{"payload":{"aps":"x"}}"#, "aps is no object"),
        .with(#""webpush":{"fcmOptions":{"link":"http://example.org"}}"#, "HTTPS"),
        .with(#""data":{"a":"\#(String(repeating: "x", count: 4_096))"}"#, "Message too big"),
    ])
    func `The simulator is strict`(case it: Case) async throws {
        try await FCMFixture.with { fixture in
            let access = fixture.tokens.newToken()
            let response = try await Self.post(it.body, access: access, fixture: fixture)
            #expect(response.status == (it.words == nil ? 200 : 400), "\(response.text)")
            if let words = it.words { #expect(response.text.contains(words), "\(response.text)") }
            #expect(fixture.fcm.messages.count == (it.words == nil ? 1 : 0))
        }
    }

    @Test func `A token that was not issued is refused`() async throws {
        try await FCMFixture.with { fixture in
            let body = #"{"message":{"token":"t"}}"#
            try await Self.expect(401, for: body, access: "ya29.made-up", fixture: fixture)
            let access = fixture.tokens.newToken()
            try await Self.expect(200, for: body, access: access, fixture: fixture)
            try await Self.expect(404, for: body, access: access, project: "other", fixture: fixture)
            fixture.clock.advance(by: TimeInterval(GoogleTokenSimulator.tokenLife))
            try await Self.expect(401, for: body, access: access, fixture: fixture)
        }
    }

    @Test func `A rehearsal is not a message`() async throws {
        try await FCMFixture.with { fixture in
            let body = #"{"message":{"token":"t"},"validateOnly":true}"#
            let access = fixture.tokens.newToken()
            try await Self.expect(200, for: body, access: access, fixture: fixture)
            #expect(fixture.fcm.messages.isEmpty)
        }
    }

    private static func expect(
        _ status: UInt, for body: String, access: String, project: String = "happiness-test", fixture: FCMFixture
    ) async throws {
        let response = try await post(body, access: access, project: project, fixture: fixture)
        #expect(response.status == status, "\(response.text)")
    }

    private static func post(
        _ body: String, access: String, project: String = "happiness-test", fixture: FCMFixture
    ) async throws -> (status: UInt, text: String) {
        var request = HTTPClientRequest(url: "\(fixture.fcm.baseURL)/v1/projects/\(project)/messages:send")
        request.method = .POST
        request.headers.add(name: "Authorization", value: "Bearer \(access)")
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: body))
        let response = try await fixture.client.execute(request, timeout: .seconds(30))
        let text = try await response.body.collect(upTo: 64 * 1_024)
        return (response.status.code, String(buffer: text))
    }
}
