public import Logging

extension Logger {
    /// For the server framework: the same, but nothing below `info`. There it writes a line for each connection, and with
    /// it when somebody came to vote. What is said of a request at `debug` we say ourselves.
    public var forServerFramework: Logger {
        var logger = self
        logger.logLevel = max(logger.logLevel, .info)
        return logger
    }
}
