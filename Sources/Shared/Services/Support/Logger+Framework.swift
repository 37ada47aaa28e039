package import Logging

extension Logger {
    /// A copy for the server framework that logs nothing below `info`. At `debug` it writes a line for each connection,
    /// which would show when a member came to vote. We log requests at `debug` ourselves.
    package var forServerFramework: Logger {
        var logger = self
        logger.logLevel = max(logger.logLevel, .info)
        return logger
    }
}
