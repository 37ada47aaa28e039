/// How a client connects and waits. Time-outs in the URI (`socketTimeoutMS` and so on) take precedence; the URI's app
/// name and read and write concerns are ignored.
package struct MongoOptions: Sendable, Equatable {
    /// The name the server's log and `currentOp` show for the connections; at most 128 bytes.
    package var appName = "happiness-metric"
    /// Milliseconds to look for a usable server. With the driver's 30 s, an unreachable database would block every
    /// thread.
    package var serverSelectionTimeoutMilliseconds: Int32 = 2_500
    /// Milliseconds between two checks of each server by a driver thread; at least 500. Shorter than
    /// `serverSelectionTimeoutMilliseconds`: a server that once reported "shutting down" or "not primary" by mistake is
    /// considered unusable until the next check. With the driver's 10 s, all calls until then would fail.
    package var heartbeatMilliseconds: Int32 = 1_000
    /// Milliseconds to establish a connection.
    package var connectTimeoutMilliseconds: Int32 = 2_500
    /// Milliseconds without a reply after which a connection is closed. Longer than `writeTimeoutMilliseconds`, so that
    /// the server's own time-out reply arrives first.
    package var socketTimeoutMilliseconds: Int32 = 20_000
    /// Milliseconds a write waits for the majority of the replica set to confirm it.
    package var writeTimeoutMilliseconds: Int = 10_000
    /// Milliseconds after which a transaction or its commit is not retried. The work itself takes milliseconds.
    package var transactionTimeLimitMilliseconds: Int = 10_000
    /// Milliseconds a call waits for a thread, or a blocking call for a connection, before it fails with `unreachable`.
    package var waitQueueTimeoutMilliseconds: Int32 = 5_000
    /// Calls that may wait for a thread. Further calls fail immediately with `unreachable`, which bounds memory.
    package var waitQueueLimit = 10_000
    /// Threads for `run`, each with a connection of its own. 16 kept two cores and one mongod busy in measurements.
    package var poolSize = 16
    /// Callers that `runBlocking` serves concurrently, each with a connection of its own; further ones wait.
    package var blockingPoolSize = 16
    /// Threads for the questions of `whileAsking`, each with a connection of its own; the same number may wait. One per
    /// thread that may ask concurrently is enough; 0 disables questions.
    package var questionPoolSize = 4

    /// The defaults.
    package init() {}
}
