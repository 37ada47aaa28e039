import Foundation

/// The random part of the address at which a sprint's count can be read without a login. All members get the same one,
/// so the server cannot tell by the address who reads.
///
/// It follows from team and sprint, so nothing is stored, and a restored backup has the same addresses.
package struct CountToken: Hashable, Sendable, CustomStringConvertible {
    /// As Base64URL, 22 characters.
    package var description: String { bytes.base64URL }

    private let bytes: [UInt8]

    /// Bytes. Nobody can guess so many.
    private static let length = 16

    /// `HMAC-SHA256(secret, "count" | team | sprint start)`, cut to 16 bytes. The start is in whole seconds since 1970.
    package init(secret: BallotSecret, sprint: Sprint.Key) {
        let start = Int64(sprint.start.timeIntervalSince1970)
        let message = Data("count|\(sprint.teamID)|\(start)".utf8)
        bytes = Array(SecureBytes.hmac(message, key: secret.key).prefix(Self.length))
    }

    /// Whether it is this one. The time that takes does not tell how much of it is right.
    package func matches(_ text: String) -> Bool {
        [UInt8](base64URL: text).map { SecureBytes.areEqual($0, bytes) } ?? false
    }
}
