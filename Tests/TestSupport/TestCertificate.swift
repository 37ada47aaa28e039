import Foundation
package import NIOSSL
import Subprocess

/// A self-signed certificate for `localhost` and 127.0.0.1.
package struct TestCertificate: Sendable {
    private let certificate: NIOSSLCertificate
    private let key: NIOSSLPrivateKey

    /// Creates a certificate with `openssl`.
    /// - Throws: `TestCertificateError.noOpenSSL`.
    package static func make() async throws -> TestCertificate {
        try await TemporaryDirectory.with { directory in
            let certificate = directory.path("certificate.pem")
            let key = directory.path("key.pem")
            try await make(certificate: certificate, key: key, names: "DNS:localhost,IP:127.0.0.1")
            guard let first = try NIOSSLCertificate.fromPEMFile(certificate).first else {
                throw TestCertificateError.noOpenSSL
            }
            return TestCertificate(certificate: first, key: try NIOSSLPrivateKey(file: key, format: .pem))
        }
    }

    /// The TLS configuration of a server with this certificate.
    func server(protocols: [String]) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate)], privateKey: .privateKey(key))
        configuration.applicationProtocols = protocols
        return configuration
    }

    /// The TLS configuration of a client that trusts only this certificate.
    package var client: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([certificate])
        return configuration
    }

    /// Writes a certificate and its key, both as PEM.
    /// - Parameter names: `subjectAltName` as for `openssl`.
    /// - Throws: `TestCertificateError.noOpenSSL`.
    static func make(certificate: String, key: String, names: String) async throws {
        let result = try await Subprocess.run(
            .name("openssl"),
            arguments: [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=\(names)", "-keyout", key, "-out", certificate,
            ], output: .discarded, error: .discarded)
        guard result.terminationStatus.isSuccess else { throw TestCertificateError.noOpenSSL }
    }
}

/// Why there is no certificate to test with.
package enum TestCertificateError: Error, CustomStringConvertible {
    /// `openssl` failed.
    case noOpenSSL

    /// Says what to do about it.
    package var description: String { "openssl could not make a certificate. Install the package openssl." }
}
