import Crypto
import Foundation

/// Tells who is on which side of an experiment: by chance, and always the same.
///
/// The chance lies in a key derived from `BALLOT_SECRET`, so nothing needs to be kept, and whoever lacks that secret cannot
/// tell anybody's side.
public struct ExperimentSides: Sendable {
    private let sideKey: SymmetricKey
    private let markKey: SymmetricKey

    /// - Parameter secret: the installation's.
    public init(secret: BallotSecret) {
        func key(_ use: String) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: secret.key, info: Data("happiness-metric \(use)".utf8), outputByteCount: 32)
        }
        sideKey = key("experiment-sides")
        markKey = key("experiment-members")
    }

    /// The first bit of `HMAC-SHA256(key, experiment | user)`. Ids have a fixed length, so no two pairs share a message.
    public func side(of userID: User.ID, in experimentID: ReminderExperiment.ID) -> ReminderExperiment.Side {
        let hash = SecureBytes.hmac(Data("\(experimentID)|\(userID)".utf8), key: sideKey)
        return hash[0] < 128 ? .a : .b
    }

    /// What stands for a member in `MemberMarks`. It tells nothing of the side.
    func mark(of userID: User.ID, in sprint: ExperimentSprint) -> UInt64 {
        let message = "\(sprint.experimentID)|\(Int64(sprint.start.timeIntervalSince1970))|\(userID)"
        return SecureBytes.hmac(Data(message.utf8), key: markKey).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
