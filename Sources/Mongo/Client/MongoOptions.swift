/// How a client connects and waits. Time-outs that the URI itself names (`socketTimeoutMS` and so on) win; its name and
/// concerns do not.
public struct MongoOptions: Sendable, Equatable {
    /// The name under which the server's log and `currentOp` show the connections; at most 128 bytes.
    public var appName = "happiness-metric"
    /// Milliseconds to look for a usable server. The driver's 30 s would park every thread while the database is away.
    public var serverSelectionTimeoutMilliseconds: Int32 = 2_500
    /// Milliseconds between two looks at each server, from a thread of the driver's; at least 500. Shorter than
    /// `serverSelectionTimeoutMilliseconds`: a server that once answered "shutting down" or "not primary" without being
    /// so counts as unusable until the next look, and with the driver's 10 s all calls until then would fail.
    public var heartbeatMilliseconds: Int32 = 1_000
    /// Milliseconds to establish a connection.
    public var connectTimeoutMilliseconds: Int32 = 2_500
    /// Milliseconds without an answer after which a connection is given up. Longer than `writeTimeoutMilliseconds`, so
    /// that the server's own answer comes first.
    public var socketTimeoutMilliseconds: Int32 = 20_000
    /// Milliseconds a write waits for the majority of the replica set to confirm it.
    public var writeTimeoutMilliseconds: Int = 10_000
    /// Milliseconds after which a transaction, or its commit, is not tried again. Its work takes milliseconds.
    public var transactionTimeLimitMilliseconds: Int = 10_000
    /// Milliseconds a call waits for a thread, or a blocking call for a connection, before it fails with `unreachable`.
    public var waitQueueTimeoutMilliseconds: Int32 = 5_000
    /// Calls that may wait for a thread; further ones fail with `unreachable` at once, so that memory stays bounded.
    public var waitQueueLimit = 10_000
    /// Threads for `run`, each with a connection of its own. 16 kept two cores and one mongod busy in measurements.
    public var poolSize = 16
    /// Callers `runBlocking` serves at a time, each with a connection of its own; further ones wait.
    public var blockingPoolSize = 16
    /// Threads for the questions of `whileAsking`, each with a connection of its own; as many again may wait. Enough if
    /// there is one for every thread that may ask at the same time; 0 for none.
    public var questionPoolSize = 4

    /// The defaults.
    public init() {}
}
