/// Why a request to an installation has no result.
public enum ClientError: Error, Hashable, Sendable {
    /// There was no answer, or the service is busy or away. Send the same again later: nothing is done twice.
    case unreachable(String)
    /// The task was cancelled. As with ``unreachable(_:)``, the request may have arrived.
    case cancelled
    /// The session has ended, or the name or the password is wrong.
    case loggedOut(String)
    /// The service rejects the request, and would reject it again.
    case rejected(Problem)
    /// The answer is not one that this API gives. Is there another program at the address?
    case notUnderstood(String)
    /// The ballot key is not the one that it should be, so nothing was sent with it. A service that gives each voter
    /// a key of their own could recognise their ballots.
    case keyDiffers(KeyDifference)

    /// What is wrong with a ballot key.
    public enum KeyDifference: Hashable, Sendable {
        /// Its id is not the SHA-256 of its public key, or ``BallotKey/init(publicKey:)`` does not accept it.
        case notValid
        /// This device has seen another key in the same sprint: the first one.
        case notTheFirst
        /// The service signed the ballot paper with another key.
        case notTheSigner
    }
}

/// A rejection by the service (RFC 9457).
public struct Problem: Hashable, Sendable {
    /// The status of the answer, such as 409.
    public let status: Int
    /// The reason for programs, such as `already-voted`; empty if there is none. The service's page `/api` explains it.
    public let reason: String
    /// A sentence for people.
    public let detail: String
}

extension ClientError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .unreachable(let detail), .loggedOut(let detail), .notUnderstood(let detail): detail
        case .cancelled: "The request was cancelled."
        case .rejected(let problem): problem.detail
        case .keyDiffers(let difference): difference.description
        }
    }
}

extension ClientError.KeyDifference: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .notValid: "The server sent something that isn’t a ballot key."
        case .notTheFirst: "The ballot key has changed since you first saw it in this sprint."
        case .notTheSigner: "The server didn’t sign your ballot paper with the ballot key it shows."
        }
    }
}
