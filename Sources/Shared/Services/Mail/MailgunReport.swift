import Crypto
package import Foundation

/// What Mailgun sends to a webhook about a mail: the parts that this program reads
/// (https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-payloads).
///
/// The signature covers time and token, not the event.
package struct MailgunReport: Sendable, Decodable {
    private let signature: Signature
    private let event: Event

    private enum CodingKeys: String, CodingKey {
        case signature
        case event = "event-data"
    }

    private struct Signature: Decodable {
        /// Seconds since 1970.
        let timestamp: String
        /// Random, another one for each report.
        let token: String
        /// HMAC-SHA-256 of timestamp and token, in hexadecimal digits.
        let signature: String
    }

    private struct Event: Decodable {
        let event: String
        let severity: String?
        let recipient: String?
        let variables: Variables?

        enum CodingKeys: String, CodingKey {
            case event
            case severity
            case recipient
            case variables = "user-variables"
        }
    }

    private struct Variables: Decodable {
        let code: String?

        enum CodingKeys: String, CodingKey {
            // As `AddressCodes.variable`.
            case code = "address-code"
        }
    }

    /// When it was signed; `nil` if that cannot be read.
    package var sent: Date? {
        Int(signature.timestamp).map { Date(timeIntervalSince1970: Double($0)) }
    }

    /// Random, another one for each report.
    package var token: String { signature.token }

    /// What it says about its recipient's address; `nil` for events that do not matter.
    package var kind: AddressFault.Kind? {
        switch event.event {
        case "failed" where event.severity == "permanent": .bounced
        case "complained": .complained
        default: nil
        }
    }

    /// The address that the mail was sent to.
    package var recipient: String? { event.recipient }

    /// The code that the mail carried (`AddressCodes`).
    package var code: String? { event.variables?.code }

    /// Whether timestamp and token are signed with the key.
    package func isSigned(with key: SecretText) -> Bool {
        guard let given = [UInt8](hexadecimal: signature.signature) else { return false }
        let expected = SecureBytes.hmac(
            Data((signature.timestamp + signature.token).utf8), key: SymmetricKey(data: Data(key.value.utf8)))
        return SecureBytes.areEqual(given, expected)
    }
}
