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
    }

    /// `smtp://` or `smtps://` with `localhost`, the name in the certificate, and the port.
    package let url: String
    /// The self-signed certificate as PEM.
    package let certificate: String
    private let folder: URL

    /// Runs a server while the closure runs.
    /// - Parameter user: `name:password`; if given, mail is only accepted after a log-in with it.
    /// - Throws: `SMTPServerError` if it cannot be started; the message says what to do.
    package static func with<Value>(
        tls: TLS = .none, user: String? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: (SMTPServer) async throws -> Value
    ) async throws -> Value {
        try await TemporaryDirectory.with { directory in
            let certificate = directory.path("certificate.pem")
            try await makeCertificate(certificate)
            let input = Pipe()
            let output = Pipe()
            let process = Process()
            process.executableURL = URL(fileURLWithPath: try python())
            process.arguments =
                [
                    script.path, directory.url.path, "--tls", tls.rawValue, "--certificate", certificate,
                ] + (user.map { ["--user", $0] } ?? [])
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            // Not awaited: Foundation's `waitUntilExit` hangs on any other thread than the one that called `run`.
            defer { process.terminate() }
            let port = try await firstLine(of: output)
            let scheme = tls == .implicit ? "smtps" : "smtp"
            return try await body(
                SMTPServer(url: "\(scheme)://localhost:\(port)", certificate: certificate, folder: directory.url))
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

    private static var script: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("smtp_server.py")
    }

    private static func python() throws -> String {
        let path = Repository.root.appending(path: ".venv/bin/python3").path
        guard FileManager.default.isExecutableFile(atPath: path) else { throw SMTPServerError.noEnvironment }
        return path
    }

    private static func makeCertificate(_ path: String) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
            + ["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
            + ["-keyout", path, "-out", path + ".crt"]
        process.standardError = FileHandle.nullDevice
        let status = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        guard status == 0 else { throw SMTPServerError.noCertificate }
        let key = URL(fileURLWithPath: path)
        let both = try Data(contentsOf: URL(fileURLWithPath: path + ".crt")) + Data(contentsOf: key)
        try both.write(to: key)
    }

    /// Reading blocks, so it has its own thread.
    private static func firstLine(of pipe: Pipe) async throws -> Int {
        struct Ready: Decodable { let port: Int }
        let handle = pipe.fileHandleForReading
        let line = await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: handle.availableData) }.start()
        }
        guard !line.isEmpty else { throw SMTPServerError.endedEarly }
        return try JSONDecoder().decode(Ready.self, from: line).port
    }
}

/// Why there is no mail server to test with.
package enum SMTPServerError: Error, CustomStringConvertible {
    /// The Python environment is missing.
    case noEnvironment
    /// `openssl` failed.
    case noCertificate
    /// Python ended before it listened.
    case endedEarly

    /// Says what to do.
    package var description: String {
        switch self {
        case .noEnvironment: "No aiosmtpd in .venv. Run scripts/setup-venv.sh (make setup does)."
        case .noCertificate: "openssl could not make a certificate. Install the package openssl."
        case .endedEarly: "smtp_server.py ended at once. Delete .venv and run scripts/setup-venv.sh."
        }
    }
}
