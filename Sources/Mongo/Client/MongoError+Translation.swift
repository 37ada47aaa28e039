import CMongoC

extension MongoError {
    /// The only place that translates the driver's errors (API version 2) into ours.
    ///
    /// - Parameter reply: the failed call's reply, read for labels and write errors; borrowed.
    init(copying error: bson_error_t, reply: OpaquePointer? = nil) {
        let reply = unsafe Self.document(of: reply)
        let labels = Set(reply?["errorLabels"]?.arrayValue?.compactMap(\.stringValue) ?? [])
        let failures = reply?["writeErrors"]?.arrayValue?.compactMap { $0.documentValue?["index"]?.intValue } ?? []
        let message = unsafe withUnsafePointer(to: error) { unsafe String(cString: cmongoc_error_message($0)) }
        self.init(
            Self.kind(domain: error.domain, code: error.code, labels: labels), message, code: Int(error.code),
            labels: labels, failedIndexes: failures.sorted(),
            isServerSelectionFailure: error.domain == MONGOC_ERROR_SERVER_SELECTION.rawValue)
    }

    /// Nil if malformed: the error itself matters more than its details.
    private static func document(of reply: OpaquePointer?) -> BSONDocument? {
        guard let reply = unsafe reply else { return nil }
        do { return try unsafe BSONDocument(copying: reply) } catch { return nil }
    }

    private static func kind(domain: UInt32, code: UInt32, labels: Set<String>) -> Kind {
        switch mongoc_error_domain_t(rawValue: domain) {
        case MONGOC_ERROR_SERVER_SELECTION, MONGOC_ERROR_STREAM, MONGOC_ERROR_POOL:
            return .unreachable
        case MONGOC_ERROR_SERVER, MONGOC_ERROR_WRITE_CONCERN:
            return kind(ofServerCode: Int(code), labels: labels)
        case MONGOC_ERROR_CLIENT where code == MONGOC_ERROR_CLIENT_AUTHENTICATE.rawValue,
            MONGOC_ERROR_SASL, MONGOC_ERROR_SCRAM:
            return .command(code: authenticationFailed)
        case MONGOC_ERROR_CLIENT where code == MONGOC_ERROR_CLIENT_NOT_READY.rawValue:
            return .unreachable
        case MONGOC_ERROR_PROTOCOL where code != MONGOC_ERROR_PROTOCOL_BAD_WIRE_VERSION.rawValue:
            return .decoding
        case MONGOC_ERROR_TRANSACTION where labels.contains(transientTransaction):
            return .transient
        case MONGOC_ERROR_BSON, MONGOC_ERROR_COMMAND, MONGOC_ERROR_CURSOR, MONGOC_ERROR_NAMESPACE,
            MONGOC_ERROR_MATCHER, MONGOC_ERROR_PROTOCOL, MONGOC_ERROR_TRANSACTION, MONGOC_ERROR_CLIENT:
            return .invalidArgument
        default:
            return kind(ofServerCode: Int(code), labels: labels)
        }
    }

    private static func kind(ofServerCode code: Int, labels: Set<String>) -> Kind {
        if duplicateKeyCodes.contains(code) { return .duplicateKey }
        if unreachableCodes.contains(code) { return .unreachable }
        if timeoutCodes.contains(code) { return .timedOut }
        if conflictCodes.contains(code) || labels.contains(transientTransaction) { return .transient }
        return .command(code: code)
    }

    // Codes and names: src/mongo/base/error_codes.yml of MongoDB 6.0.

    private static let authenticationFailed = 18
    /// DuplicateKey and its two ancestors.
    private static let duplicateKeyCodes: Set<Int> = [11000, 11001, 12582]
    /// HostUnreachable, HostNotFound, NetworkTimeout, ShutdownInProgress, PrimarySteppedDown, SocketException,
    /// NotWritablePrimary, InterruptedAtShutdown, InterruptedDueToReplStateChange, NotPrimaryNoSecondaryOk,
    /// NotPrimaryOrSecondary, FailedToSatisfyReadPreference, and 10058, which old servers send for "not primary".
    private static let unreachableCodes: Set<Int> = [
        6, 7, 89, 91, 133, 189, 9001, 10058, 10107, 11600, 11602, 13435, 13436,
    ]
    /// MaxTimeMSExpired, WriteConcernFailed (wtimeout), ExceededTimeLimit.
    private static let timeoutCodes: Set<Int> = [50, 64, 262]
    /// LockTimeout, WriteConflict, SnapshotUnavailable, NoSuchTransaction.
    private static let conflictCodes: Set<Int> = [24, 112, 246, 251]
}
