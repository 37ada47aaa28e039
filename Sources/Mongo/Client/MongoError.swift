/// A failed call to MongoDB. The kind depends on domain, code and labels, never on a message.
package struct MongoError: Error, Sendable, Hashable {
    /// The kinds of error that a caller can act on.
    package enum Kind: Sendable, Hashable {
        /// The key already exists in a unique index.
        case duplicateKey
        /// Another operation interfered (write conflict, aborted transaction), so a retry may succeed. Thrown by
        /// `transaction` itself, it means that all attempts are used up.
        case transient
        /// No usable server: none found in time, connection lost or silent, not primary, shutting down, or no thread or
        /// connection free in time. A write may or may not have happened.
        case unreachable
        /// A time limit of the server expired: `maxTimeMS`, or the majority did not confirm in time (the write may
        /// still happen).
        case timedOut
        /// The call is wrong: an unusable URI, a malformed update, a database handle used after its closure.
        case invalidArgument
        /// The server rejected the command with this error code
        /// (https://www.mongodb.com/docs/manual/reference/error-codes/); 18 if it rejects our user and password.
        case command(code: Int)
        /// A reply does not have the form the caller expects.
        case decoding
    }

    /// The category for callers to switch on.
    package let kind: Kind
    /// The driver's or server's error code; 0 if the error arose on our side.
    package let code: Int
    /// The server's and driver's error labels, such as `TransientTransactionError`.
    package let labels: Set<String>
    /// Ascending positions of the failed items in the array given to `insertMany` or `bulkUpdate`. After an ordered
    /// call, all later items were not attempted.
    package let failedIndexes: [Int]
    /// For operators only: may contain field values, for instance of a duplicate key. Not part of `description`.
    package let operatorMessage: String
    /// Whether no server could be found at all, so that an immediate retry is pointless.
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
    package func hasLabel(_ label: String) -> Bool { labels.contains(label) }

    /// Whether the outcome of a commit is unknown: retrying the work could apply it twice.
    package var isCommitUnknown: Bool { hasLabel(Self.unknownCommitResult) }

    static let transientTransaction = "TransientTransactionError"
    static let unknownCommitResult = "UnknownTransactionCommitResult"
}

extension MongoError: CustomStringConvertible {
    /// Kind, code and labels only: no document content.
    package var description: String {
        "MongoError(\(kind), code \(code)\(labels.isEmpty ? "" : ", \(labels.sorted().joined(separator: ", "))"))"
    }
}
