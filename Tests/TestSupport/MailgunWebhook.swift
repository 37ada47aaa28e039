import Crypto
import Domain
package import Foundation

/// What Mailgun posts to a webhook, with the fields that its documentation shows
/// (https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-payloads).
package struct MailgunWebhook: Sendable {
    /// `failed`, `complained`, `delivered` and so on.
    package var event: String
    /// `permanent` or `temporary`, of a failure.
    package var severity: String?
    /// The address that the mail went to.
    package var recipient: String
    /// The mail's `v:` fields.
    package var variables: [String: String]
    /// When it is signed, in seconds since 1970.
    package var timestamp: Int
    /// Random, 50 digits.
    package var token = (0..<25).map { _ in String(Int.random(in: 10..<100), radix: 10) }.joined()
    /// Why it failed, in Mailgun's words.
    package var cause = "bounce"
    /// The enhanced code of the recipient's mail server.
    package var enhancedCode = "5.1.1"
    /// The answer of the recipient's mail server.
    package var reason = "5.1.1 The email account that you tried to reach does not exist.\u{0}"

    /// A report about a mail that the simulator has queued.
    /// - Throws: if the mail has no recipient.
    package init(_ event: String, severity: String? = nil, of mail: MailgunSimulator.Mail, at now: Date) throws {
        guard let to = mail["to"], let match = to.firstMatch(of: /([^<> ]+@[^<> ]+?)>?$/) else {
            throw CocoaError(.featureUnsupported)
        }
        let variables = mail.fields.filter { $0.key.hasPrefix("v:") }
            .map { (String($0.key.dropFirst(2)), $0.value.first ?? "") }
        self.init(
            event, severity: severity, recipient: String(match.1),
            variables: Dictionary(uniqueKeysWithValues: variables), at: now)
    }

    /// A report about any mail.
    package init(
        _ event: String, severity: String? = nil, recipient: String, variables: [String: String], at now: Date
    ) {
        self.event = event
        self.severity = severity
        self.recipient = recipient
        self.variables = variables
        timestamp = Int(now.timeIntervalSince1970)
    }

    /// The JSON, signed with a key.
    package func body(signedWith key: String) throws -> String {
        let code = SecureBytes.hmac(Data("\(timestamp)\(token)".utf8), key: SymmetricKey(data: Data(key.utf8)))
        var data: [String: Any] = [
            "account": ["id": "1234567890303a4bd1f33898"], "domain": ["name": "mg.example.org"],
            "envelope": ["sender": "happiness@example.org", "targets": recipient, "transport": "smtp"],
            "event": event, "flags": ["is-authenticated": true, "is-test-mode": false],
            "id": "CCXMjJ7nQi2N3BPigGOdgQ", "log-level": "info",
            "message": ["headers": ["to": recipient, "subject": "Hello"], "attachments": [Int](), "size": 341],
            "recipient": recipient, "recipient-domain": "example.org", "tags": [String](),
            "timestamp": Double(timestamp) + 0.25, "user-variables": variables,
        ]
        if let severity {
            data["severity"] = severity
            data["reason"] = cause
            data["delivery-status"] = [
                "attempt-no": 1, "code": 550, "enhanced-code": enhancedCode, "message": reason,
            ]
        }
        let report: [String: Any] = [
            "signature": ["timestamp": "\(timestamp)", "token": token, "signature": code.hexadecimal],
            "event-data": data,
        ]
        return String(decoding: try JSONSerialization.data(withJSONObject: report), as: UTF8.self)
    }
}
