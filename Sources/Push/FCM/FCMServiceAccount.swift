import Domain
import Foundation
import JWTKit

/// The parts of a Google service account's key file that are needed to get access tokens
/// (https://developers.google.com/identity/protocols/oauth2/service-account).
struct FCMServiceAccount: Sendable {
    /// The Firebase project of the messages.
    let projectID: String
    /// The account: `iss` of an assertion.
    let clientEmail: String
    /// The id of the signing key: `kid` of an assertion.
    let keyID: String
    /// Signs assertions.
    let key: Insecure.RSA.PrivateKey
    /// The token endpoint, and `aud` of an assertion.
    let tokenURL: String

    private struct File: Decodable {
        let type: String
        let project_id: String
        let private_key_id: String
        let private_key: String
        let client_email: String
        let token_uri: String
    }

    private static let setting = "FCM_SERVICE_ACCOUNT_FILE"

    /// Reads the file.
    /// - Throws: `SettingsError` that names the problem without quoting the file.
    init(path: String) throws(SettingsError) {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw Self.wrong("a file this program can read; it cannot read \(path)")
        }
        let file: File
        do {
            file = try JSONDecoder().decode(File.self, from: data)
        } catch DecodingError.keyNotFound(let key, _) {
            throw Self.wrong("a service account's JSON file; this one has no \(key.stringValue)")
        } catch {
            throw Self.wrong("a service account's JSON file; this one is no such JSON")
        }
        guard file.type == "service_account" else {
            throw Self.wrong("a service account's JSON file; this one is for another kind of account")
        }
        // It becomes part of a path: a project's id, or its number, which works as well.
        guard file.project_id.wholeMatch(of: /[a-z0-9:.\-]+/) != nil, !file.client_email.isEmpty,
            !file.private_key_id.isEmpty
        else { throw Self.wrong("a service account's JSON file; this one's project or account cannot be read") }
        guard let url = URLComponents(string: file.token_uri), ["http", "https"].contains(url.scheme),
            url.host?.isEmpty == false
        else { throw Self.wrong("a service account's JSON file; this one's token_uri is no URL") }
        do {
            key = try Insecure.RSA.PrivateKey(pem: file.private_key)
        } catch {
            throw Self.wrong("a service account's JSON file; this one's private_key is no RSA key of 2048 bits or more")
        }
        projectID = file.project_id
        clientEmail = file.client_email
        keyID = file.private_key_id
        tokenURL = file.token_uri
    }

    private static func wrong(_ expectation: String) -> SettingsError {
        SettingsError(key: setting, expectation: expectation)
    }
}
