public import Foundation

/// The member who is logged in.
public struct Member: Decodable, Hashable, Sendable {
    /// Stays the same when the name changes.
    public let id: String
    /// The user name.
    public let name: String
}

/// A team of the member.
public struct Team: Decodable, Hashable, Sendable {
    /// Names the team in requests.
    public let id: String
    /// For people.
    public let name: String
    /// The current number.
    public let members: Int
    /// Days begin in it; an IANA name such as `Europe/Vienna`.
    public let timeZone: String
    /// Two published states differ by at least this many ballots.
    public let threshold: Int
    /// From the next sprint on; a sprint has its own.
    public let ballots: AcceptedBallots
}

/// Which ballots count in a sprint.
public enum AcceptedBallots: String, Decodable, Sendable {
    /// A value that this version of the library does not know.
    case other
    /// Sealed and plain ones.
    case any
    /// Only ballots that come with a ballot paper.
    case sealed

    /// Reads a value, also one that a later version of the service has added.
    public init(from decoder: any Decoder) throws {
        self = AcceptedBallots(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .other
    }
}

/// A sprint with its published results.
public struct Sprint: Decodable, Hashable, Sendable {
    /// Such as `2026/23`.
    public let label: String
    /// Its first instant.
    public let start: Date
    /// The first instant after it.
    public let end: Date
    /// From then on no ballots are accepted.
    public let closes: Date
    /// Whether it accepts ballots.
    public let state: State
    /// Two published states differ by at least this many ballots.
    public let threshold: Int
    /// Which ballots count in it.
    public let ballots: AcceptedBallots
    /// Whether another tool counted it, so that there is no count to check; `nil` from a service before this field.
    public let imported: Bool?
    /// `nil` while nothing is published.
    public let publication: Publication?

    /// Whether a sprint accepts ballots.
    public enum State: String, Decodable, Sendable {
        /// Accepts ballots.
        case running
        /// Is over, or everyone has voted.
        case closed
        /// A value that this version of the library does not know.
        case other

        /// Reads a value, also one that a later version of the service has added.
        public init(from decoder: any Decoder) throws {
            self = State(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .other
        }
    }
}

/// The published state of a sprint. It lags behind the counted ballots, by design.
public struct Publication: Decodable, Hashable, Sendable {
    /// Mean of the published values, from 0 to 10, not rounded.
    public let happiness: Double
    /// Published ballots.
    public let votes: Int
    /// Ballots for each value from 0 to 10; `nil` where it would tell too much.
    public let distribution: [Int]?
    /// Members who could have voted; `nil` until the sprint is closed.
    public let eligible: Int?
    /// How many votes were sealed; `nil` until the sprint is closed, and where it would tell too much.
    public let sealed: Int?
}

/// The running sprint, for one member.
public struct CurrentSprint: Decodable, Hashable, Sendable {
    /// The sprint and what is published of it.
    public let sprint: Sprint
    /// Whether the member has cast a plain ballot or has got a ballot paper. True for everyone once the sprint is
    /// closed: `vote` tells the two apart.
    public let hasVoted: Bool
    /// Whether the member can vote; `nil` from a server of version 0.1.0.
    public let vote: Vote?

    /// Whether a member can vote in a sprint.
    public enum Vote: String, Decodable, Sendable {
        /// The member can vote.
        case open
        /// The member has cast a plain ballot or has got a ballot paper.
        case voted
        /// Nobody can vote any more; who has voted is not stored.
        case closed
        /// A value that this version of the library does not know.
        case other

        /// Reads a value, also one that a later version of the service has added.
        public init(from decoder: any Decoder) throws {
            self = Vote(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .other
        }
    }
}
