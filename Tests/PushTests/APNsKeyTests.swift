import Crypto
import Domain
import Foundation
import Ports
import Push
import TestSupport
import Testing

@Suite struct APNsKeyTests {
    private static func settings(_ file: String) -> APNsSettings {
        APNsSettings(
            keyFile: file, keyID: APNsFixture.keyID, teamID: APNsFixture.teamID, topic: APNsFixture.topic,
            baseURL: "https://api.push.apple.com")
    }

    @Test func `The file that Apple gives out is read`() async throws {
        try await TemporaryDirectory.with { directory in
            let key = P256.Signing.PrivateKey()
            let path = directory.path("AuthKey_ABC123DEFG.p8")
            try key.pemRepresentation.write(toFile: path, atomically: true, encoding: .utf8)
            let read = try APNsKey(settings: Self.settings(path))
            #expect(read.signing.rawRepresentation == key.rawRepresentation)
            #expect(read.id == APNsFixture.keyID)
            #expect(read.teamID == APNsFixture.teamID)
        }
    }

    @Test func `Any other file is refused without quoting it`() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path("other.p8")
            try "secret".write(toFile: path, atomically: true, encoding: .utf8)
            for file in [path, directory.path("missing.p8")] {
                let error = #expect(throws: SettingsError.self) { try APNsKey(settings: Self.settings(file)) }
                #expect(error?.key == "APNS_KEY_FILE")
                #expect(error.map { "\($0)".contains("secret") } == false)
            }
        }
    }
}
