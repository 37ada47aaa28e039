import AsyncHTTPClient
import Domain
import Foundation
import Ports
import Push
import TestSupport
import Testing

/// Key files with which a worker does not start.
@Suite struct FCMServiceAccountTests {
    private struct Change: Sendable, CustomTestStringConvertible {
        let key: String
        let value: String?
        let words: String

        var testDescription: String { "\(key): \(value ?? "none")" }
    }

    private func error(for file: Data) async throws -> SettingsError {
        try await #require(throws: SettingsError.self) {
            try await FCMFixture.withClient { client in
                _ = try await FCMFixture.driver(account: file, baseURL: "http://127.0.0.1:1", client: client)
            }
        }
    }

    @Test(arguments: [
        Change(key: "type", value: "authorized_user", words: "another kind of account"),
        Change(key: "project_id", value: "a/b", words: "project"),
        Change(key: "project_id", value: nil, words: "no project_id"),
        Change(key: "client_email", value: nil, words: "no client_email"),
        Change(key: "client_email", value: "", words: "account cannot be read"),
        Change(key: "private_key_id", value: nil, words: "no private_key_id"),
        Change(key: "private_key", value: nil, words: "no private_key"),
        Change(key: "private_key", value: "-----BEGIN PRIVATE KEY-----\nhush\n", words: "no RSA key"),
        Change(key: "token_uri", value: nil, words: "no token_uri"),
        Change(key: "token_uri", value: "oauth2.googleapis.com", words: "token_uri is no URL"),
    ])
    private func `An unsuitable file is refused in words`(change: Change) async throws {
        let file = try GoogleServiceAccount().file(tokenURL: "https://oauth2.example/token") {
            $0[change.key] = change.value
        }
        let error = try await error(for: file)
        #expect(error.key == "FCM_SERVICE_ACCOUNT_FILE")
        #expect(error.description.contains(change.words), "\(error)")
        #expect(!error.description.contains("hush"))
    }

    @Test(arguments: ["", "not JSON", "[]", #"{"type":7}"#])
    func `A file that is no key file is refused`(text: String) async throws {
        #expect(try await error(for: Data(text.utf8)).key == "FCM_SERVICE_ACCOUNT_FILE")
    }

    @Test func `An unreadable file is named`() async throws {
        try await FCMFixture.withClient { client in
            let settings = FCMSettings(serviceAccountFile: "/nowhere/key.json", baseURL: "http://127.0.0.1:1")
            let error = try #require(throws: SettingsError.self) {
                _ = try FCMDriver(settings: settings, client: client)
            }
            #expect(error.description.contains("/nowhere/key.json"))
        }
    }
}
