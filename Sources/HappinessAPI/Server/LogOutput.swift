import Logging

/// Where the process's log goes: standard error, so that what commands print stays alone on standard output.
enum LogOutput {
    /// Sets the log up for the whole process; call once.
    static func bootstrap(level: Logger.Level, label: String) -> Logger {
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        return Logger(label: label)
    }
}
