import Logging
import Synchronization

/// Everything that was logged, at the finest level, as text.
final class CapturedLog: Sendable {
    private let lines = Mutex<[String]>([])

    /// Writes here.
    var logger: Logger {
        Logger(label: "test") { _ in Handler(log: self) }
    }

    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    private struct Handler: LogHandler {
        let log: CapturedLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            log.lines.withLock { $0.append("\(event.level) \(event.message) \(all)") }
        }
    }
}
