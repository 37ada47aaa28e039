import Crypto
import Domain
import Foundation

/// The body's part of a canonical request, also the value of `x-amz-content-sha256`
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).
enum PayloadHash: Equatable, Sendable {
    /// The body's hash, which detects changes in transit.
    case sha256(String)
    /// The body is not signed. For links only, whose requests have no body.
    case unsigned

    /// The hash of a body; without a body, the hash of no bytes.
    static func of(_ body: [UInt8]) -> PayloadHash { .sha256(SHA256.hash(data: body).hexadecimal) }

    /// The value in the header.
    var text: String {
        switch self {
        case .sha256(let hash): hash
        case .unsigned: "UNSIGNED-PAYLOAD"
        }
    }
}
