package import Foundation

/// A real SMTP server (aiosmtpd) in its own process and folder.
package struct SMTPServer: Sendable {
    /// How connections are encrypted.
    package enum TLS: String, Sendable {
        /// Not encrypted; STARTTLS is not offered.
        case none
        /// STARTTLS is offered and required.
        case starttls
        /// Encrypted from the first byte.
        case implicit
    }

    /// An accepted mail.
    package struct Mail: Decodable, Sendable {
        /// The envelope's sender.
        package let from: String
        /// The envelope's recipients.
        package let to: [String]
        /// Whether it was sent over TLS.
        package let encrypted: Bool
        /// Whether the client had logged in.
        package let authenticated: Bool
        /// The client's name in EHLO.
        package let clientName: String
    }

    /// `smtp://` or `smtps://` with `localhost`, the name in the certificate, and the port.
    package let url: String
    /// The self-signed certificate as PEM.
    package let certificate: String
    private let folder: URL

    /// Runs a server while the closure runs.
    /// - Parameters:
    ///   - user: `name:password`; if given, mail is only accepted after a login with it.
    ///   - greeting: a reply code with which every connection is rejected.
    ///   - connections: maximum number of connections; further ones are rejected (421), and mails wait for the first rejection.
    /// - Throws: an error that says what to do if it cannot be started.
    package static func with<Value>(
        tls: TLS = .none, user: String? = nil, greeting: Int? = nil, connections: Int? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (SMTPServer) async throws -> Value
    ) async throws -> Value {
        try await TemporaryDirectory.with { directory in
            let certificate = directory.path("certificate.pem")
            try await TestCertificate.make(
                certificate: certificate + ".crt", key: certificate, names: "DNS:localhost")
            let both = [certificate, certificate + ".crt"].map(URL.init(fileURLWithPath:))
            try both.map { try Data(contentsOf: $0) }.reduce(Data(), +).write(to: both[0])
            var arguments = [directory.url.path, "--tls", tls.rawValue, "--certificate", certificate]
            if let user { arguments += ["--user", user] }
            if let greeting { arguments += ["--greeting", "\(greeting)"] }
            if let connections { arguments += ["--connections", "\(connections)"] }
            return try await PythonServer.with("smtp_server.py", arguments) {
                try await body(
                    SMTPServer(
                        url: "\(tls == .implicit ? "smtps" : "smtp")://localhost:\($0)", certificate: certificate,
                        folder: directory.url))
            }
        }
    }

    /// Accepted mails, in order.
    package func mails() throws -> [Mail] {
        try names(".json").map { try JSONDecoder().decode(Mail.self, from: Data(contentsOf: $0)) }
    }

    /// The mails' bytes, in order.
    package func contents() throws -> [Data] {
        try names(".eml").map { try Data(contentsOf: $0) }
    }

    private func names(_ suffix: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(suffix) }.sorted()
            .map { folder.appendingPathComponent($0) }
    }
}
