package import Domain
import Foundation

/// How mails are sent.
package struct MailSettings: Sendable {
    /// The delivery method with its settings.
    package enum Driver: Sendable {
        /// Files in a folder, for demos and tests.
        case file(outbox: String)
        /// Mailgun's HTTP API.
        case mailgun(MailgunSettings)
        /// A mail server.
        case smtp(SMTPSettings)
    }

    /// The delivery method.
    package let driver: Driver
    /// The sender of every mail.
    package let from: MailAddress
    /// Maximum number of mails that a worker sends at once.
    package let connections: Int
    /// Mailgun signs its reports with it; `nil` if none are expected.
    package let mailgunWebhookKey: SecretText?

    /// Whether mails are files in a folder, from which the operator hands on the links: none reaches anyone.
    package var keepsMails: Bool {
        switch driver {
        case .file: true
        case .mailgun, .smtp: false
        }
    }

    /// Large providers take three to twenty connections from one client; the worker adapts to fewer.
    package static let standardConnections = 8

    /// `.invalid` is reserved and can never be a real domain (RFC 2606 §2).
    private static let standardSender = "Happiness Metric <happiness@localhost.invalid>"

    /// Reports invalid settings to the reader.
    package init(reader: SettingsReader, dataDirectory: String, publicURL: String) throws {
        let name = reader.choice("MAIL_DRIVER", default: DriverName.file)
        from = try Self.sender(reader, driver: name)
        connections = reader.integer("MAIL_CONNECTIONS", default: Self.standardConnections, in: 1...64)
        mailgunWebhookKey = reader.optionalText("MAILGUN_WEBHOOK_SIGNING_KEY", isSecret: true).map { SecretText($0) }
        // All of them are read, so that a mistake is reported now and not on the day the driver is changed.
        let mailgun = MailgunSettings(reader: reader, isNeeded: name == .mailgun)
        let smtp = SMTPSettings(
            reader: reader, clientName: SMTPSettings.clientName(publicURL: publicURL), isNeeded: name == .smtp)
        switch name {
        case .file: driver = .file(outbox: "\(dataDirectory)/outbox")
        case .mailgun: driver = .mailgun(mailgun)
        case .smtp: driver = .smtp(smtp)
        }
    }

    /// Every mail server would reject the default sender.
    private static func sender(_ reader: SettingsReader, driver: DriverName) throws -> MailAddress {
        let text = reader.optionalText("MAIL_FROM")
        if text == nil, driver != .file {
            reader.refuse("MAIL_FROM", expectation: "set for MAIL_DRIVER=\(driver.rawValue)")
        }
        if let text {
            if let sender = try? MailAddress(text) { return sender }
            reader.refuse("MAIL_FROM", expectation: "an address, or a name and one: Name <a@b.example>")
        }
        return try MailAddress(standardSender)
    }

    /// The keys of these settings.
    package static let keys: Set<String> = [
        "MAIL_CONNECTIONS", "MAIL_DRIVER", "MAIL_FROM", "MAILGUN_API_KEY", "MAILGUN_DOMAIN", "MAILGUN_BASE_URL",
        "MAILGUN_TEST_MODE", "MAILGUN_WEBHOOK_SIGNING_KEY",
        "SMTP_URL", "SMTP_TLS", "SMTP_USERNAME", "SMTP_PASSWORD", "SMTP_CA_FILE",
    ]

    /// Those whose values are secret.
    package static let secretKeys: Set<String> = ["MAILGUN_API_KEY", "MAILGUN_WEBHOOK_SIGNING_KEY", "SMTP_PASSWORD"]

    private enum DriverName: String, CaseIterable {
        case file
        case mailgun
        case smtp
    }
}

/// A Mailgun account.
package struct MailgunSettings: Sendable {
    /// Password for HTTP Basic; a domain sending key is sufficient.
    package let apiKey: SecretText
    /// The sending domain.
    package let domain: String
    /// Scheme, host and port for the domain's region.
    package let baseURL: String
    /// Mailgun accepts and bills the mails, but does not deliver them (`o:testmode`).
    package let isTestMode: Bool

    /// Takes validated values.
    package init(apiKey: SecretText, domain: String, baseURL: String, isTestMode: Bool = false) {
        self.apiKey = apiKey
        self.domain = domain
        self.baseURL = baseURL
        self.isTestMode = isTestMode
    }

    init(reader: SettingsReader, isNeeded: Bool) {
        let domain = reader.text("MAILGUN_DOMAIN", default: "")
        if domain.wholeMatch(of: /[A-Za-z0-9.\-]*/) == nil || (isNeeded && domain.isEmpty) {
            reader.refuse("MAILGUN_DOMAIN", expectation: "your sending domain, like mg.example.org")
        }
        let key = reader.text("MAILGUN_API_KEY", default: "", isSecret: true)
        if isNeeded, key.isEmpty {
            reader.refuse("MAILGUN_API_KEY", expectation: "set for MAIL_DRIVER=mailgun")
        }
        self.init(
            apiKey: SecretText(key), domain: domain,
            baseURL: reader.baseURL("MAILGUN_BASE_URL", default: "https://api.mailgun.net", path: .empty),
            isTestMode: reader.choice("MAILGUN_TEST_MODE", default: TrueOrFalse.false) == .true)
    }

    private enum TrueOrFalse: String, CaseIterable {
        case `true`
        case `false`
    }
}

/// A mail server that accepts mails for delivery (RFC 6409).
package struct SMTPSettings: Sendable {
    /// Whether a connection must be encrypted before any other command.
    package enum TLS: String, Sendable, CaseIterable {
        /// STARTTLS with `smtp://` (RFC 3207), from the first byte with `smtps://`; the certificate is checked.
        case required
        /// Plain text with `smtp://`, including password and links. For a server on the same machine.
        case off
    }

    /// `smtp://host:port` or `smtps://host:port`.
    package let url: String
    /// Whether encryption is required.
    package let tls: TLS
    /// The user name for login; `nil` for a server without authentication.
    package let username: String?
    /// The password for `username`.
    package let password: SecretText?
    /// PEM file of the certificate authorities to trust instead of the system's, for a server with a private
    /// certificate.
    package let caFile: String?
    /// Our name in EHLO: a domain name with a dot, or an address literal (RFC 5321 §4.1.1.1).
    package let clientName: String

    /// Our name if we have none: the address literal of this machine (RFC 5321 §4.1.3).
    package static let namelessClient = "[127.0.0.1]"

    /// Takes validated values.
    package init(
        url: String, tls: TLS = .required, username: String? = nil, password: SecretText? = nil, caFile: String? = nil,
        clientName: String = namelessClient
    ) {
        self.url = url
        self.tls = tls
        self.username = username
        self.password = password
        self.caFile = caFile
        self.clientName = clientName
    }

    init(reader: SettingsReader, clientName: String, isNeeded: Bool) {
        let url = reader.text("SMTP_URL", default: "smtp://localhost:25")
        if !Self.isServer(url) || (isNeeded && reader.optionalText("SMTP_URL") == nil) {
            reader.refuse(
                "SMTP_URL", expectation: "smtp://HOST:PORT or smtps://HOST:PORT, without user, password and path")
        }
        let username = reader.optionalText("SMTP_USERNAME")
        let password = reader.optionalText("SMTP_PASSWORD", isSecret: true)
        if (username == nil) != (password == nil) {
            reader.refuse("SMTP_PASSWORD", expectation: "set together with SMTP_USERNAME, or not at all")
        }
        self.init(
            url: url, tls: reader.choice("SMTP_TLS", default: TLS.required), username: username,
            password: password.map { SecretText($0) }, caFile: reader.optionalText("SMTP_CA_FILE"),
            clientName: clientName)
    }

    /// Our name in EHLO: the public URL's host, or an address literal if that is an address or a name without a dot.
    /// The name of the machine will not do: in a container it is a number, and many servers reject a name that is not
    /// fully qualified (504, Postfix's `reject_non_fqdn_helo_hostname`).
    package static func clientName(publicURL: String) -> String {
        let host = (URLComponents(string: publicURL)?.host ?? "").filter { !"[]".contains($0) }
        if host.contains(":") { return "[IPv6:\(host)]" }
        if host.wholeMatch(of: /[0-9]{1,3}(?:\.[0-9]{1,3}){3}/) != nil { return "[\(host)]" }
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        let label = /[A-Za-z0-9](?:[A-Za-z0-9\-]*[A-Za-z0-9])?/
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, labels.allSatisfy({ $0.wholeMatch(of: label) != nil }) else { return namelessClient }
        return name
    }

    private static func isServer(_ url: String) -> Bool {
        guard let parts = URLComponents(string: url) else { return false }
        return ["smtp", "smtps"].contains(parts.scheme) && parts.host != nil
            // A password in the URL would be logged with it, and curl takes a path for our own name in EHLO.
            && parts.user == nil && parts.password == nil && ["", "/"].contains(parts.path) && parts.query == nil
    }
}
