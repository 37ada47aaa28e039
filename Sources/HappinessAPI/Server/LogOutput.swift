import Logging

/// Sends the log to standard error, so that standard output contains only what commands print.
enum LogOutput {
    /// Configures logging for the whole process; call once.
    static func bootstrap(level: Logger.Level, label: String) -> Logger {
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        return Logger(label: label)
    }
}
