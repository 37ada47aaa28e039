public import Foundation

/// The right to cast one ballot: random bytes of this device, which the service signs without seeing them.
///
/// The service signs one paper for each member and sprint. **Keep a paper on the disk before each request that needs
/// it**, and until its ballot is counted: without it the vote is lost. Keep it secret while it is not signed: until
/// then it contains what links it to the member.
public struct BallotPaper: Codable, Hashable, Sendable {
    /// The id of the team.
    public let team: String
    /// Such as `2026/23`.
    public let sprint: String
    /// The service signs with it.
    public let key: BallotKey
    /// 32 bytes.
    let bytes: Data
    /// `nil` once the paper is signed.
    private(set) var blinding: BlindRSA.Blinding?
    private(set) var signature: Data?
    /// The blinding factor of the ballot's commitment; `nil` in papers of an earlier version.
    let randomness: Data?

    /// Whether a ballot can be cast with it.
    public var isSigned: Bool { signature != nil }

    /// A new paper for a sprint.
    /// - Parameters:
    ///   - team: its id.
    ///   - sprint: its label.
    ///   - key: as ``HappinessServer/ballotKey(of:in:first:)`` returns it.
    public init(team: String, sprint: String, key: BallotKey) throws {
        self.team = team
        self.sprint = sprint
        self.key = key
        bytes = Data.random(count: 32)
        randomness = PedersenCommitment.newRandomness()
        blinding = try BlindRSA(key.verifier()).blind(bytes)
    }

    /// The commitment to a ballot with this paper. It says nothing about the value. With it, this device finds the ballot
    /// in the sprint's count (``SprintCount/contains(_:)``).
    /// - Parameter happiness: from 0 to 10, in tenths.
    public func commitment(to happiness: Double) -> Data? {
        randomness.flatMap {
            PedersenCommitment.commit(to: Int((happiness * 10).rounded()), randomness: $0)
        }
    }

    /// With it, this device finds the paper in the sprint's count (``SprintCount/contains(spentPaper:)``). It says
    /// nothing about the value.
    public var spentHash: Data { key.spentHash(of: bytes) }

    /// Makes the paper ready for use.
    /// - Throws: ``ClientError/keyDiffers(_:)`` (`notTheSigner`) if this is not the signature of this paper.
    mutating func sign(with blindSignature: Data) throws {
        guard let blinding else { return }
        guard let signature = try BlindRSA(key.verifier()).unblind(blindSignature, of: bytes, inverse: blinding.inverse)
        else {
            throw ClientError.keyDiffers(.notTheSigner)
        }
        self.signature = signature
        // It links the paper to the member who asked for it.
        self.blinding = nil
    }
}

extension Data {
    /// From the system's generator, which is cryptographically secure on all platforms.
    static func random(count: Int) -> Data {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
