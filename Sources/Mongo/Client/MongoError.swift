/// What went wrong in a call to MongoDB. Which case it is depends on domain, code and labels, never on a message.
public struct MongoError: Error, Sendable, Hashable {
    /// What a caller can act on.
    public enum Kind: Sendable, Hashable {
        /// A unique index has the key already.
        case duplicateKey
        /// Another operation was in the way (write conflict, aborted transaction): repeating may help. From
        /// `transaction` it means that the attempts are used up.
        case transient
        /// No usable server: none found in time, connection lost or silent, not primary, shutting down, or no free
        /// thread or connection in time. After it a write may or may not have happened.
        case unreachable
        /// The server gave up by its own limits: `maxTimeMS`, or the majority did not confirm in time (the write may
        /// still happen).
        case timedOut
        /// The call is wrong: an unusable URI, a malformed update, a database handle used after its closure.
        case invalidArgument
        /// The server refused, with its error code (https://www.mongodb.com/docs/manual/reference/error-codes/);
        /// 18 also when it does not accept our user and password.
        case command(code: Int)
        /// An answer was not what its caller can read.
        case decoding
    }

    /// What a caller can act on.
    public let kind: Kind
    /// The driver's or server's number; 0 if the error arose on our side.
    public let code: Int
    /// The server's and driver's error labels, such as `TransientTransactionError`.
    public let labels: Set<String>
    /// Positions in the array given to `insertMany` or `bulkUpdate` of what failed, ascending; after an ordered call
    /// all later ones were not tried.
    public let failedIndexes: [Int]
    /// For operators only: may hold field values, for instance of a duplicate key. Not part of `description`.
    public let operatorMessage: String
    /// Whether no server could be found at all: then trying again at once is pointless.
    let isServerSelectionFailure: Bool

    init(
        _ kind: Kind, _ operatorMessage: String, code: Int = 0, labels: Set<String> = [], failedIndexes: [Int] = [],
        isServerSelectionFailure: Bool = false
    ) {
        self.kind = kind
        self.code = code
        self.labels = labels
        self.failedIndexes = failedIndexes
        self.operatorMessage = operatorMessage
        self.isServerSelectionFailure = isServerSelectionFailure
    }

    /// Whether the error carries this label.
    public func hasLabel(_ label: String) -> Bool { labels.contains(label) }

    /// Whether it is unknown if a commit happened: repeating the work could do it twice.
    public var isCommitUnknown: Bool { hasLabel(Self.unknownCommitResult) }

    static let transientTransaction = "TransientTransactionError"
    static let unknownCommitResult = "UnknownTransactionCommitResult"
}

extension MongoError: CustomStringConvertible {
    /// Kind, code and labels: nothing that came from a document.
    public var description: String {
        "MongoError(\(kind), code \(code)\(labels.isEmpty ? "" : ", \(labels.sorted().joined(separator: ", "))"))"
    }
}
