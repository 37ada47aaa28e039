import Crypto
import CryptoExtras
public import Foundation

/// The count of a sprint that is over, as everybody with its address sees it: a commitment to each vote, what opens their
/// sum, and the ballot papers with their signatures.
///
/// A commitment says nothing about its value. ``isRight`` checks that all of them together fit the result, and
/// ``contains(_:)`` that a vote of this device is among them. If every voter finds their own in the same list, the result
/// is the sum of their votes. Whether they see the same list they know only if they compare its ``code``.
public struct SprintCount: Hashable, Sendable {
    /// The id of the team.
    public let team: String
    /// Such as `2026/23`.
    public let sprint: String
    /// Votes in the result.
    public let votes: Int
    /// Sum of their values, in tenths.
    public let sum: Int
    /// Members who could have voted.
    public let members: Int
    /// The key that signed the papers; `nil` if the sprint has none.
    public let key: BallotKey?
    /// `nil` where their number would tell too much.
    public let papers: Papers?
    private let randomness: Data
    private let commitments: [Data]

    /// The ballot papers of a sprint.
    public struct Papers: Hashable, Sendable {
        /// Papers that members got.
        public let issued: Int
        let spent: [SpentPaper]

        /// Sealed votes in the result.
        public var counted: Int { spent.count }
        /// Papers that were used before the service kept signatures, so that nobody can check them.
        public var unsigned: Int { spent.count(where: { $0.signed == nil }) }
        /// Whether each of these votes had a paper of its own.
        public var isRight: Bool { counted <= issued && Set(spent.map(\.hash)).count == counted }
    }

    /// A paper that was used for a vote.
    struct SpentPaper: Hashable, Sendable {
        /// SHA-256 of the key's id and the paper.
        let hash: Data
        let signed: SignedPaper?
    }

    struct SignedPaper: Hashable, Sendable {
        let paper: Data
        let signature: Data
    }

    /// Whether the commitments to all votes add up to the result.
    public var isRight: Bool {
        PedersenCommitment.areOpened(commitments, by: sum, randomness: randomness)
    }

    /// Whether each paper that has a signature was signed with ``key``.
    public var hasValidSignatures: Bool {
        let signed = papers?.spent.compactMap(\.signed) ?? []
        guard !signed.isEmpty else { return true }
        guard let key, let verifier = try? key.verifier() else { return false }
        return signed.allSatisfy {
            verifier.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: $0.signature), for: verifier.prepare($0.paper))
        }
    }

    /// Whether a vote is among them.
    /// - Parameter commitment: as ``BallotPaper/commitment(to:)`` returned it.
    public func contains(_ commitment: Data) -> Bool {
        commitments.contains(commitment)
    }

    /// Whether a paper is among those of the votes; `nil` if the list does not have the papers.
    /// - Parameter hash: ``BallotPaper/spentHash``
    public func contains(spentPaper hash: Data) -> Bool? {
        papers.map { papers in papers.spent.contains { $0.hash == hash } }
    }

    /// What people compare: those who see the same code see the same list. It is computed from the fields above, in a way
    /// that `docs/count.md` describes byte by byte.
    ///
    /// 160 bits in eight groups of four digits of base32 (RFC 4648 §6). A service can look for two lists with the same
    /// code, so fewer would not do.
    public var code: String {
        let issued = papers.map { Self.number($0.issued) }
        let joined = commitments.reduce(into: Data()) { $0.append($1) }
        var fields: [Data] = [
            Data("happiness/count/1".utf8), Data(team.utf8), Data(sprint.utf8), Self.number(votes), Self.number(sum),
            randomness, Self.number(members), issued ?? Data(), key?.publicKey ?? Data(), joined,
        ]
        for paper in papers?.spent ?? [] { fields.append(paper.hash + (paper.signed?.signature ?? Data())) }
        var hasher = SHA256()
        for field in fields {
            hasher.update(data: Self.number(field.count))
            hasher.update(data: field)
        }
        let digits = Self.digits(of: Array(hasher.finalize()).prefix(20))
        return stride(from: 0, to: digits.count, by: 4)
            .map { String(digits.dropFirst($0).prefix(4)) }
            .joined(separator: " ")
    }

    /// Four bytes, big-endian.
    private static func number(_ value: Int) -> Data {
        Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) })
    }

    /// Base32 of a multiple of five bytes (RFC 4648 §6).
    private static func digits(of bytes: ArraySlice<UInt8>) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var text = ""
        var (rest, bits) = (0, 0)
        for byte in bytes {
            (rest, bits) = (rest << 8 | Int(byte), bits + 8)
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[rest >> bits])
                rest &= (1 << bits) - 1
            }
        }
        return text
    }
}

/// A count, on its way.
struct CountResponse: Decodable {
    let team: String
    let sprint: String
    let votes: Int
    let sum: Int
    let randomness: String
    let members: Int
    let key: String?
    let papers: Papers?
    let commitments: [String]

    struct Papers: Decodable {
        let issued: Int
        let spent: [Paper]
    }

    /// One that was spent with version 0.1.0 has a hash only.
    struct Paper: Decodable {
        let paper: String?
        let signature: String?
        let hash: String?
    }
}

extension SprintCount {
    private static let randomnessLength = 32
    private static let commitmentLength = 33
    fileprivate static let hashLength = 32
    fileprivate static let paperLength = 32
    fileprivate static let signatureLength = 256

    /// Reads a count.
    /// - Returns: `nil` if it is one of another sprint, or a field does not have the form that it must have.
    init?(_ response: CountResponse, of sprint: String, in team: String) {
        guard response.team == team, response.sprint == sprint,
            let randomness = Self.bytes(response.randomness, Self.randomnessLength)
        else { return nil }
        let commitments = response.commitments.compactMap { Self.bytes($0, Self.commitmentLength) }
        let numbers = [response.votes, response.sum, response.members, response.papers?.issued ?? 0]
        guard commitments.count == response.commitments.count, commitments.count == response.votes,
            Self.isAscending(commitments), numbers.allSatisfy({ UInt32(exactly: $0) != nil })
        else { return nil }
        var key: BallotKey?
        if let text = response.key {
            guard let bytes = Data(base64URL: text), let read = try? BallotKey(publicKey: bytes) else { return nil }
            key = read
        }
        var papers: Papers?
        if let told = response.papers {
            let spent = told.spent.compactMap { SpentPaper($0, key: key) }
            guard spent.count == told.spent.count, Self.isAscending(spent.map(\.hash)) else { return nil }
            papers = Papers(issued: told.issued, spent: spent)
        }
        self.team = team
        self.sprint = sprint
        self.votes = response.votes
        self.sum = response.sum
        self.members = response.members
        self.key = key
        self.papers = papers
        self.randomness = randomness
        self.commitments = commitments
    }

    /// Base64URL of this many bytes.
    fileprivate static func bytes(_ text: String?, _ length: Int) -> Data? {
        text.flatMap { Data(base64URL: $0) }.flatMap { $0.count == length ? $0 : nil }
    }

    /// Whether these are in the order of their bytes. Two voters' devices may choose the same commitment.
    private static func isAscending(_ list: [Data]) -> Bool {
        zip(list, list.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) }
    }
}

extension SprintCount.SpentPaper {
    /// - Returns: `nil` if a field does not have the right form, or if there is no key for a signature.
    fileprivate init?(_ response: CountResponse.Paper, key: BallotKey?) {
        if let text = response.hash {
            guard let hash = SprintCount.bytes(text, SprintCount.hashLength) else { return nil }
            self.init(hash: hash, signed: nil)
        } else {
            guard let paper = SprintCount.bytes(response.paper, SprintCount.paperLength),
                let signature = SprintCount.bytes(response.signature, SprintCount.signatureLength), let key
            else { return nil }
            self.init(
                hash: key.spentHash(of: paper),
                signed: SprintCount.SignedPaper(paper: paper, signature: signature))
        }
    }
}

extension Session {
    /// The count of a sprint that is over. Only its address is asked for with the login: the list itself is read like by
    /// everybody else, over a connection of its own.
    /// - Parameters:
    ///   - sprint: its label, such as `2026/23`.
    ///   - team: its id.
    /// - Throws: ``ClientError``: `rejected` with the reason `count-not-checkable`; `notUnderstood` if the list does
    ///   not have the form that it must have.
    public func count(of sprint: String, in team: String) async throws -> SprintCount {
        struct Response: Decodable { let address: String? }
        let response = try await json("/api/v1/teams/\(team)/sprints/\(sprint)/count", as: Response.self)
        guard let address = response.address else {
            throw ClientError.notUnderstood(
                "The server shows this count only to people who are logged in. Is it older than this program?")
        }
        // Any other address could lead to another server.
        let start = "/api/v1/counts/\(team)/\(sprint)/"
        guard address.hasPrefix(start),
            String(address.dropFirst(start.count)).wholeMatch(of: /[A-Za-z0-9_-]{22}/) != nil
        else { throw ClientError.notUnderstood("The server gave the count an address that it can’t have.") }
        let list = try await HTTPExchange(server: server.address).json(address, as: CountResponse.self)
        guard let count = SprintCount(list, of: sprint, in: team) else {
            throw ClientError.notUnderstood(
                "The server’s list of this count isn’t as it must be. Tell your team, unless this program is older.")
        }
        return count
    }
}
