import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Outbound

extension S3Failure {
    /// Translates what kept the answer.
    init(onTheWay failure: BoundedExchange.Failure) {
        switch failure {
        case .late: self = .passing(failure.sentence(about: "The object store"))
        case .tooLong:
            self = .misconfigured("S3_ENDPOINT does not look like an S3 service: its response is too large")
        case .notConnected(let error), .brokenOff(let error): self = Self(network: error)
        }
    }

    private init(network error: any Error) {
        switch error {
        case let error as NIOSSLError: self = Self(error)
        case is NIOSSLExtraError:
            self = .misconfigured("TLS with S3_ENDPOINT fails: the certificate is not for the host's name")
        case let error as HTTPParserError where error != .invalidEOFState:
            self = .misconfigured("S3_ENDPOINT does not speak HTTP; must it be https?")
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            self = .passing("The object store cannot be reached: the name of the host in S3_ENDPOINT is not known")
        default:
            // Unknown errors: a retry may succeed.
            self = .passing("The object store is unreachable, or the connection was lost")
        }
    }

    private init(_ error: NIOSSLError) {
        switch error {
        case .handshakeFailed(.sslError(let errors)) where errors.contains(.eofDuringHandshake):
            self = .passing("The object store is unreachable, or the connection was lost")
        case .uncleanShutdown: self = .passing("The object store is unreachable, or the connection was lost")
        case .handshakeFailed:
            self = .misconfigured(
                "TLS with S3_ENDPOINT fails: this machine does not trust the certificate, or no TLS is spoken there")
        default: self = .misconfigured("TLS with S3_ENDPOINT fails")
        }
    }
}
