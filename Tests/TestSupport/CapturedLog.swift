package import Logging
import Synchronization

/// Collects everything that is logged, at the finest level, as text.
package final class CapturedLog: Sendable {
    private struct State {
        var lines: [String] = []
        var waiting: [(text: String, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Writes into this log.
    package var logger: Logger {
        Logger(label: "test") { _ in Handler(log: self) }
    }

    /// The lines so far, each with level, message and metadata ordered by key: `error: Push failed error=why`.
    package var lines: [String] { state.withLock { $0.lines } }

    /// The lines as one text.
    package var text: String { lines.joined(separator: "\n") }

    /// Waits for a line with this text.
    package func until(_ text: String) async {
        await withCheckedContinuation { continuation in
            let exists = state.withLock { state in
                let exists = state.lines.contains { $0.contains(text) }
                if !exists { state.waiting.append((text, continuation)) }
                return exists
            }
            if exists { continuation.resume() }
        }
    }

    private func append(_ line: String) {
        let served = state.withLock { state in
            state.lines.append(line)
            let served = state.waiting.filter { line.contains($0.text) }
            state.waiting.removeAll { line.contains($0.text) }
            return served
        }
        for one in served { one.continuation.resume() }
    }

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
            let fields = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
            log.append("\(event.level): \(event.message)\(fields.joined())")
        }
    }
}
