import Crypto
package import Domain
package import Foundation
package import Ports

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
        let reason: String?
        let status: Status?
        let recipient: String?
        let variables: Variables?

        enum CodingKeys: String, CodingKey {
            case event
            case severity
            case reason
            case status = "delivery-status"
            case recipient
            case variables = "user-variables"
        }
    }

    private struct Status: Decodable {
        /// RFC 3463; empty or missing if the recipient's server gave none.
        let enhancedCode: String?

        enum CodingKeys: String, CodingKey {
            case enhancedCode = "enhanced-code"
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
        case "failed" where isBounce: .bounced
        case "complained": .complained
        default: nil
        }
    }

    /// Whether the recipient's server does not take mails for this address, or did not take an earlier one. Other
    /// permanent failures would mark everybody at once: a server that did not answer for hours (`old`), or that rejects
    /// the sender by a blocklist or SPF and DKIM (5.7.x).
    private var isBounce: Bool {
        guard event.severity == "permanent", let reason = event.reason, Self.bounces.contains(reason) else {
            return false
        }
        return event.status?.enhancedCode?.hasPrefix("5.7.") != true
    }

    private static let bounces: Set<String> = ["bounce", "suppress-bounce"]

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
