import Crypto
import Foundation
import HappinessClient

/// What this device knows: who is logged in, the ballot keys it has seen, and the votes that are not counted yet.
struct DeviceState: Codable, Sendable {
    /// Grows when an earlier version could no longer read the file.
    static let currentFormat = 1
    private(set) var format = currentFormat
    var account: Account?
    /// Papers that are not used up, with the ballot to cast, if there is one.
    var votes: [Vote] = []
    /// The first key of each sprint, the oldest first. They outlive a log-out: otherwise a server could show another
    /// key after each one.
    private(set) var keysSeen: [SeenKey] = []
    /// Of ballots that were counted, the oldest first; `nil` in files of before.
    private(set) var commitments: [OwnCommitment]?

    /// A member, logged in at a server.
    struct Account: Codable {
        let server: URL
        let member: String
        var logIn: Login
        /// As in `Vote`.
        var relay: URL?
    }

    /// A ballot paper of a member, and perhaps what they vote.
    struct Vote: Codable {
        let server: URL
        /// The paper is theirs. Another member who uses this device has one of their own.
        let member: String
        let teamName: String
        /// Whether the member is in no other team.
        let isOnlyTeam: Bool
        /// The end of the sprint. A ballot may be cast until `closes`.
        let end: Date
        let closes: Date
        var paper: BallotPaper
        var ballot: Ballot?
        /// The relay through which version 0.1.0 was to send the ballot. It waits until its owner wants another way.
        var relay: URL?
    }

    /// What is cast with a paper.
    struct Ballot: Codable, Equatable {
        let happiness: Double
        let feedback: String?
    }

    /// A ballot key that this device saw first in a sprint.
    struct SeenKey: Codable {
        /// Says neither which team voted here nor when to someone who does not know both (`name(of:in:at:)`).
        let sprint: String
        let id: String

        /// SHA-256 of server, team and sprint, as 64 hexadecimal digits.
        static func name(of sprint: String, in team: String, at server: HappinessServer) -> String {
            hash("\(server.address.absoluteString) \(team)/\(sprint)")
        }

        /// The same key as this version names it: version 0.1.0 wrote server, team and sprint.
        var renamed: SeenKey {
            sprint.contains(" ") ? SeenKey(sprint: Self.hash(sprint), id: id) : self
        }

        private static func hash(_ place: String) -> String {
            SHA256.hash(data: Data(place.utf8)).map { String(format: "%02x", $0) }.joined()
        }
    }

    /// What finds a ballot in the count of its sprint. It says nothing about the value.
    struct OwnCommitment: Codable {
        let server: URL
        let member: String
        let team: String
        let sprint: String
        let bytes: Data
        /// Hash of the paper; `nil` in files of version 0.1.0.
        let spent: Data?
    }

    /// As many as a browser keeps (`sealed-ballot.js`): a key that is forgotten can be replaced unnoticed.
    private static let mostKeys = 500
    private static let mostCommitments = 100

    /// The id of the key that this device saw first in a sprint.
    /// - Parameter name: as `SeenKey.name(of:in:at:)` returns it.
    func firstKey(_ name: String) -> String? {
        keysSeen.first { $0.sprint == name }?.id
    }

    /// What finds a ballot that this device has cast for a member.
    func commitment(of account: Account, in sprint: String, of team: String) -> OwnCommitment? {
        commitments?.last {
            ($0.server, $0.member, $0.team, $0.sprint) == (account.server, account.member, team, sprint)
        }
    }

    /// The relay through which version 0.1.0 was to send the user's votes. The user is the logged-in member, or anyone if
    /// nobody is logged in.
    var relay: URL? {
        account?.relay ?? votes.first { isOfUser($0) && $0.relay != nil }?.relay
    }

    /// Lets the user's votes go to the server.
    mutating func forgetRelay() {
        account?.relay = nil
        for index in votes.indices where isOfUser(votes[index]) { votes[index].relay = nil }
    }

    private func isOfUser(_ vote: Vote) -> Bool { account.map(vote.isOwn(of:)) ?? true }

    /// Removes a vote that was counted, and keeps its commitment.
    mutating func finish(_ vote: Vote, with ballot: Ballot) {
        votes.removeAll { $0.isSame(as: vote) }
        guard let bytes = vote.paper.commitment(to: ballot.happiness) else { return }
        let new = OwnCommitment(
            server: vote.server, member: vote.member, team: vote.paper.team, sprint: vote.paper.sprint, bytes: bytes,
            spent: vote.paper.spentHash)
        commitments = ((commitments ?? []) + [new]).suffix(Self.mostCommitments)
    }

    /// Remembers a key, unless there is an earlier one.
    /// - Parameter name: as `SeenKey.name(of:in:at:)` returns it.
    mutating func see(_ key: BallotKey, as name: String) {
        guard firstKey(name) == nil else { return }
        keysSeen = (keysSeen + [SeenKey(sprint: name, id: key.id)]).suffix(Self.mostKeys)
    }

    /// Names the keys as this version does. Of two for one sprint the earlier one counts.
    mutating func renameKeys() {
        keysSeen = keysSeen.map(\.renamed)
    }
}
