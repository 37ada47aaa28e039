package import Foundation
package import Logging
import Product

/// Writes each event as one line of JSON:
/// `{"label":"api","level":"info","message":"Serving","metadata":{"store":"SQLite"},"time":"2026-11-26T09:00:00.000Z"}`.
package struct JSONLogHandler: LogHandler {
    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let write: @Sendable (Data) -> Void

    /// - Parameter write: takes a whole line; by default it goes to standard error in one call, so that lines of
    ///   several threads do not mix.
    package init(
        label: String, write: @escaping @Sendable (Data) -> Void = { ProgramOutput.report($0) }
    ) {
        self.label = label
        self.write = write
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let provided = metadataProvider?.get() ?? [:]
        let all = metadata.merging(provided) { $1 }.merging(event.metadata ?? [:]) { $1 }
        let line = Line(
            time: Date.now.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true)),
            level: event.level.rawValue, label: label, message: "\(event.message)",
            metadata: all.isEmpty ? nil : all.mapValues { "\($0)" })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Text and dictionaries of text can always be encoded.
        guard let data = try? encoder.encode(line) else { return }
        write(data + Data("\n".utf8))
    }

    private struct Line: Encodable {
        let time: String
        let level: String
        let label: String
        let message: String
        let metadata: [String: String]?
    }
}
