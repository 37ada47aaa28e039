import Crypto
import Foundation

/// A feedback as stored while its sprint runs: padded, and encrypted under a key derived from `BALLOT_SECRET`.
///
/// A database keeps more than its rows. SQLite's pages are in order of insertion; MongoDB's files contain the second
/// and the number of each transaction; journal, oplog and free blocks keep deleted data. Without the secret none of
/// that reveals a text. When the sprint closes, the published texts are stored again in plain text, all together and in
/// a random order.
package struct SealedFeedback: Hashable, Sendable {
    /// Nonce, ciphertext and tag of AES-256-GCM.
    package let bytes: [UInt8]

    /// Bytes. Nearly every text is shorter, so lengths reveal nothing.
    static let paddedLength = 512

    /// Wraps the stored bytes.
    package init(stored bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Encrypts a text for one sprint.
    /// - Throws: an error of the cryptography library.
    package init(_ text: FeedbackText, in sprint: Sprint.Key, secret: BallotSecret) throws {
        var padded = Data(text.text.utf8)
        // A text contains no NUL, so the padding can be recognised.
        let count = padded.count + 1
        padded.append(
            Data(count: (count + Self.paddedLength - 1) / Self.paddedLength * Self.paddedLength - padded.count))
        let nonce = AES.GCM.Nonce()
        let box = try AES.GCM.seal(
            padded, using: secret.feedbackKey, nonce: nonce, authenticating: Self.context(of: sprint))
        bytes = Array(nonce) + box.ciphertext + box.tag
    }

    /// The text; `nil` if it belongs to another sprint or was encrypted with another secret.
    package func opened(in sprint: Sprint.Key, secret: BallotSecret) -> String? {
        // `nil` covers every possible error.
        guard let box = try? AES.GCM.SealedBox(combined: bytes),
            let padded = try? AES.GCM.open(box, using: secret.feedbackKey, authenticating: Self.context(of: sprint))
        else { return nil }
        return String(decoding: padded.prefix { $0 != 0 }, as: UTF8.self)
    }

    private static func context(of sprint: Sprint.Key) -> Data {
        Data("\(sprint.teamID)|\(Int64(sprint.start.timeIntervalSince1970))".utf8)
    }
}
