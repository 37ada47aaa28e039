package import Foundation

/// One piece of work with its beginning and end, as OpenTelemetry defines it. It says nothing about who caused it.
package struct TraceSpan: Equatable, Sendable {
    /// What kind of work it is, with OTLP's number for it.
    package enum Kind: Int, Sendable {
        /// Work that nobody outside waits for.
        case `internal` = 1
        /// An answer to a request.
        case server = 2
    }

    /// The value of an attribute.
    package enum Value: Equatable, Sendable {
        /// A text.
        case text(String)
        /// A whole number.
        case number(Int)
    }

    /// 32 lower-case hexadecimal digits.
    package let traceID: String
    /// 16 lower-case hexadecimal digits.
    package let spanID: String
    /// The caller's span; `nil` for the first span of a trace.
    package let parentID: String?
    /// One of few: a route's method and pattern, or a job's kind.
    package let name: String
    /// What kind of work it is.
    package let kind: Kind
    /// When it began.
    package let start: Date
    /// When it ended.
    package let end: Date
    /// Its attributes by name.
    package let attributes: [String: Value]
    /// Whether it failed for a reason of ours.
    package let hasFailed: Bool
}
