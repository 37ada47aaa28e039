/// How a client connects and waits. Time-outs in the URI (`socketTimeoutMS` and so on) take precedence; the URI's app
/// name and read and write concerns are ignored.
public struct MongoOptions: Sendable, Equatable {
    /// The name the server's log and `currentOp` show for the connections; at most 128 bytes.
    public var appName = "happiness-metric"
    /// Milliseconds to look for a usable server. With the driver's 30 s, an unreachable database would block every
    /// thread.
    public var serverSelectionTimeoutMilliseconds: Int32 = 2_500
    /// Milliseconds between two checks of each server by a driver thread; at least 500. Shorter than
    /// `serverSelectionTimeoutMilliseconds`: a server that once reported "shutting down" or "not primary" by mistake is
    /// considered unusable until the next check. With the driver's 10 s, all calls until then would fail.
    public var heartbeatMilliseconds: Int32 = 1_000
    /// Milliseconds to establish a connection.
    public var connectTimeoutMilliseconds: Int32 = 2_500
    /// Milliseconds without a reply after which a connection is closed. Longer than `writeTimeoutMilliseconds`, so that
    /// the server's own time-out reply arrives first.
    public var socketTimeoutMilliseconds: Int32 = 20_000
    /// Milliseconds a write waits for the majority of the replica set to confirm it.
    public var writeTimeoutMilliseconds: Int = 10_000
    /// Milliseconds after which a transaction or its commit is not retried. The work itself takes milliseconds.
    public var transactionTimeLimitMilliseconds: Int = 10_000
    /// Milliseconds a call waits for a thread, or a blocking call for a connection, before it fails with `unreachable`.
    public var waitQueueTimeoutMilliseconds: Int32 = 5_000
    /// Calls that may wait for a thread. Further calls fail immediately with `unreachable`, which bounds memory.
    public var waitQueueLimit = 10_000
    /// Threads for `run`, each with a connection of its own. 16 kept two cores and one mongod busy in measurements.
    public var poolSize = 16
    /// Callers that `runBlocking` serves concurrently, each with a connection of its own; further ones wait.
    public var blockingPoolSize = 16
    /// Threads for the questions of `whileAsking`, each with a connection of its own; the same number may wait. One per
    /// thread that may ask concurrently is enough; 0 disables questions.
    public var questionPoolSize = 4

    /// The defaults.
    public init() {}
}
