import Crypto
import CryptoExtras
package import Foundation

/// A made-up Google service account with a key of its own.
package struct GoogleServiceAccount: Sendable {
    /// The project it belongs to.
    package let projectID: String
    /// `client_email` in the key file.
    package let clientEmail: String
    /// The id of its key.
    package let keyID: String
    private let key: _RSA.Signing.PrivateKey

    /// Creating one takes most of a second in a debug build, and no test modifies it.
    private static let sharedKey = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    /// Creates an account whose key is the same in every test.
    package init(projectID: String = "happiness-test") throws {
        self.projectID = projectID
        clientEmail = "sender@\(projectID).iam.gserviceaccount.com"
        keyID = "0123456789abcdef0123456789abcdef01234567"
        key = try Self.sharedKey.get()
    }

    /// The key file as downloaded from the Firebase console.
    /// - Parameter change: modifies its fields.
    package func file(tokenURL: String, change: (inout [String: Any]) -> Void = { _ in }) throws -> Data {
        var fields: [String: Any] = [
            "type": "service_account", "project_id": projectID, "private_key_id": keyID,
            "private_key": key.pkcs8PEMRepresentation + "\n", "client_email": clientEmail,
            "client_id": "100000000000000000000", "auth_uri": "https://accounts.google.com/o/oauth2/auth",
            "token_uri": tokenURL, "universe_domain": "googleapis.com",
        ]
        change(&fields)
        return try JSONSerialization.data(withJSONObject: fields, options: [.prettyPrinted])
    }

    /// Whether this account's key signed the data (RS256).
    func signed(_ data: Data, signature: [UInt8]) -> Bool {
        key.publicKey.isValidSignature(
            .init(rawRepresentation: Data(signature)), for: SHA256.hash(data: data), padding: .insecurePKCS1v1_5)
    }
}
