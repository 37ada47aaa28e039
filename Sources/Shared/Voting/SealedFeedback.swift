import Crypto
import Foundation

/// A feedback as it is stored while its sprint runs: encrypted under a key derived from `BALLOT_SECRET`, and padded.
///
/// A database keeps more than its rows: SQLite's pages lie in the order of insertion, MongoDB's files carry the second and
/// the number of each transaction, journal, oplog and free blocks keep what was removed. Without the secret nothing of
/// that leads to a text. At the sprint's close the published texts are written anew, in plain text, all together and in
/// a random order.
public struct SealedFeedback: Hashable, Sendable {
    /// Nonce, ciphertext and tag of AES-256-GCM.
    public let bytes: [UInt8]

    /// Bytes. Nearly every text is shorter, so that lengths tell nothing.
    static let paddedLength = 512

    /// For stores: a feedback as it is kept.
    init(stored bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Seals a text for one sprint.
    /// - Throws: a fault of the cryptography.
    public init(_ text: FeedbackText, in sprint: Sprint.Key, secret: BallotSecret) throws {
        var padded = Data(text.text.utf8)
        // A text holds no NUL, so the padding can be told from it.
        let count = padded.count + 1
        padded.append(
            Data(count: (count + Self.paddedLength - 1) / Self.paddedLength * Self.paddedLength - padded.count))
        let nonce = AES.GCM.Nonce()
        let box = try AES.GCM.seal(
            padded, using: secret.feedbackKey, nonce: nonce, authenticating: Self.context(of: sprint))
        bytes = Array(nonce) + box.ciphertext + box.tag
    }

    /// The text; `nil` for one of another sprint, or that was sealed with another secret.
    func opened(in sprint: Sprint.Key, secret: BallotSecret) -> String? {
        // All that can go wrong is said by `nil`.
        guard let box = try? AES.GCM.SealedBox(combined: bytes),
            let padded = try? AES.GCM.open(box, using: secret.feedbackKey, authenticating: Self.context(of: sprint))
        else { return nil }
        return String(decoding: padded.prefix { $0 != 0 }, as: UTF8.self)
    }

    private static func context(of sprint: Sprint.Key) -> Data {
        Data("\(sprint.teamID)|\(Int64(sprint.start.timeIntervalSince1970))".utf8)
    }
}
