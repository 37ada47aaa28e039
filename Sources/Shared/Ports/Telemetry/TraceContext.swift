/// The trace that a caller continues, from the header `traceparent` of
/// [W3C Trace Context](https://www.w3.org/TR/trace-context/#traceparent-header), §3.2.
package struct TraceContext: Equatable, Sendable {
    /// 32 lower-case hexadecimal digits, not all zero.
    package let traceID: String
    /// The caller's span: 16 lower-case hexadecimal digits, not all zero.
    package let parentID: String
    /// Whether the caller records this trace.
    package let isSampled: Bool

    /// Parses a header's value.
    /// - Returns: `nil` for an invalid value, as §3.2.2 says: the trace is then a new one.
    package init?(traceparent text: String) {
        let pattern = /([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?/
        guard let match = text.wholeMatch(of: pattern), let flags = UInt8(match.4, radix: 16) else { return nil }
        // Version 00 ends with the flags; later ones may add fields (§3.2.4). ff is forbidden.
        guard match.1 != "ff", match.1 != "00" || match.5 == nil else { return nil }
        guard match.2.contains(where: { $0 != "0" }), match.3.contains(where: { $0 != "0" }) else { return nil }
        traceID = String(match.2)
        parentID = String(match.3)
        // §3.2.2.5.1: the lowest bit is `sampled`.
        isSampled = flags & 1 == 1
    }
}
