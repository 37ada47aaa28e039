package import Logging

/// Sends the log to standard error, so that standard output contains only what commands print.
package enum LogOutput {
    /// The form of a line in the log: the values of `LOG_FORMAT`.
    package enum Format: String, Sendable, CaseIterable {
        /// For people.
        case text
        /// An object of JSON, for programs that collect logs.
        case json
    }

    /// Configures logging for the whole process; call once.
    package static func bootstrap(_ settings: Settings, label: String) -> Logger {
        LoggingSystem.bootstrap { label in
            var handler: any LogHandler =
                switch settings.logFormat {
                case .text: StreamLogHandler.standardError(label: label)
                case .json: JSONLogHandler(label: label)
                }
            handler.logLevel = settings.logLevel
            return handler
        }
        return Logger(label: label)
    }
}
