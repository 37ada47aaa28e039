import Crypto
import Foundation

/// Assigns each member to a side of an experiment: randomly, but always the same.
///
/// The assignment derives from a key based on `BALLOT_SECRET`, so nothing needs to be stored, and nobody without that
/// secret can determine a member's side.
package struct ExperimentSides: Sendable {
    private let sideKey: SymmetricKey
    private let markKey: SymmetricKey

    /// - Parameter secret: the installation's ballot secret.
    package init(secret: BallotSecret) {
        func key(_ use: String) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: secret.key, info: Data("happiness-metric \(use)".utf8), outputByteCount: 32)
        }
        sideKey = key("experiment-sides")
        markKey = key("experiment-members")
    }

    /// The first bit of `HMAC-SHA256(key, experiment | user)`. Ids have a fixed length, so messages are unique.
    package func side(of userID: User.ID, in experimentID: ReminderExperiment.ID) -> ReminderExperiment.Side {
        let hash = SecureBytes.hmac(Data("\(experimentID)|\(userID)".utf8), key: sideKey)
        return hash[0] < 128 ? .a : .b
    }

    /// The value that represents a member in `MemberMarks`. It does not reveal the side.
    package func mark(of userID: User.ID, in sprint: ExperimentSprint) -> UInt64 {
        let message = "\(sprint.experimentID)|\(Int64(sprint.start.timeIntervalSince1970))|\(userID)"
        return SecureBytes.hmac(Data(message.utf8), key: markKey).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
