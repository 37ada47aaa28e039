import Logging
import Synchronization

/// Collects log lines.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    /// Writes into it.
    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(lines: self) }
        logger.logLevel = .trace
        return logger
    }

    /// Message and metadata of each, in order.
    var all: [String] { lines.withLock { $0 } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            lines.lines.withLock { $0.append("\(event.message) \(all)") }
        }
    }
}
