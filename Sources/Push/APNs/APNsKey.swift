public import Crypto
import Foundation
public import Shared

/// The signing key of an Apple developer team.
public struct APNsKey: Sendable {
    /// `kid`, 10 characters.
    public let id: String
    /// `iss`: the developer team's id.
    public let teamID: String
    /// Signs tokens with ES256.
    public let signing: P256.Signing.PrivateKey

    /// - Parameter id: the key's id, 10 characters.
    public init(id: String, teamID: String, signing: P256.Signing.PrivateKey) {
        self.id = id
        self.teamID = teamID
        self.signing = signing
    }

    /// Reads the key file.
    /// - Throws: `SettingsError` if the file is missing or not a key.
    public init(settings: APNsSettings) throws {
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
