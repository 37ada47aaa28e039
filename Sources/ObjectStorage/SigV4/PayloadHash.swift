import Crypto
import Foundation

/// What a canonical request says about the body: also the value of `x-amz-content-sha256`
/// (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).
enum PayloadHash: Equatable, Sendable {
    /// The body's hash: nobody on the way can change it unnoticed.
    case sha256(String)
    /// Not looked at. For links only: whoever follows one sends no body.
    case unsigned

    /// Of a body; of no body is the hash of nothing.
    static func of(_ body: [UInt8]) -> PayloadHash { .sha256(hexadecimal(SHA256.hash(data: body))) }

    /// As it is written.
    var text: String {
        switch self {
        case .sha256(let hash): hash
        case .unsigned: "UNSIGNED-PAYLOAD"
        }
    }
}

/// Two small digits for each byte.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}
