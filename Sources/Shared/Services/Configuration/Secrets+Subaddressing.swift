import Domain
import Foundation
package import Storage

/// `MAIL_SUBADDRESSING` must be the same for API, worker and commands: it decides which members share a mailbox, and so
/// whose receipt is whose. Unlike a secret, an operator may correct it, so a difference is reported and not refused.
extension Secrets {
    private static let subaddressingName = "MAIL_SUBADDRESSING"

    /// A sentence for operators if the API that started last had another value; `nil` if none has started, or it had the
    /// same.
    /// - Throws: what the store throws.
    package func subaddressingNotice(in store: any SystemStore) async throws -> String? {
        guard let stored = try await store.fingerprints()[Self.subaddressingName], stored != subaddressingFingerprint
        else { return nil }
        return "MAIL_SUBADDRESSING is another one than when the API started last. It must be the same for API, worker "
            + "and commands, or one mailbox may have two votes. If you have changed it, start the API again."
    }

    /// Stores the value of an API that starts: from now on the others are compared with it.
    /// - Returns: as `subaddressingNotice`, of the API that started before.
    /// - Throws: what the store throws.
    package func recordSubaddressing(in store: any SystemStore) async throws -> String? {
        let notice = try await subaddressingNotice(in: store)
        try await store.replaceFingerprint(named: Self.subaddressingName, by: subaddressingFingerprint)
        return notice
    }

    /// Keyed, as it names domains.
    private var subaddressingFingerprint: [UInt8] {
        SecureBytes.hmac(Data("\(Self.subaddressingName) \(ballot.subaddressing.canonical)".utf8), key: ballot.key)
    }

    /// The fingerprints of secrets among those of a store or backup.
    package static func ofSecrets(_ fingerprints: [String: [UInt8]]) -> [String: [UInt8]] {
        fingerprints.filter { $0.key != subaddressingName }
    }
}
