package import Crypto
import Domain
import Foundation
package import Ports

/// The signing key of an Apple developer team.
package struct APNsKey: Sendable {
    /// `kid`, 10 characters.
    package let id: String
    /// `iss`: the developer team's id.
    package let teamID: String
    /// Signs tokens with ES256.
    package let signing: P256.Signing.PrivateKey

    /// - Parameter id: the key's id, 10 characters.
    package init(id: String, teamID: String, signing: P256.Signing.PrivateKey) {
        self.id = id
        self.teamID = teamID
        self.signing = signing
    }

    /// Reads the key file.
    /// - Throws: `SettingsError` if the file is missing or not a key.
    package init(settings: APNsSettings) throws {
        let expectation = "the path of a file as Apple gives it out (AuthKey_….p8) that can be read"
        do {
            let text = try String(contentsOfFile: settings.keyFile, encoding: .utf8)
            signing = try P256.Signing.PrivateKey(pemRepresentation: text)
        } catch {
            // The parser's message may quote the file.
            throw SettingsError(key: "APNS_KEY_FILE", expectation: expectation)
        }
        id = settings.keyID
        teamID = settings.teamID
    }
}
