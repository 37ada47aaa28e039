import Ports

/// The body of `POST /v1/traces`: an `ExportTraceServiceRequest` in JSON
/// (https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto).
struct OTLPTraces: Encodable, Sendable {
    /// The spans of one process.
    struct ResourceSpans: Encodable, Sendable {
        let resource: OTLPResource
        let scopeSpans: [ScopeSpans]
    }

    /// The spans of one library, here of the program itself.
    struct ScopeSpans: Encodable, Sendable {
        let scope = OTLPScope()
        let spans: [OTLPSpan]
    }

    let resourceSpans: [ResourceSpans]

    init(_ spans: [TraceSpan], of resource: OTLPResource) {
        resourceSpans = [ResourceSpans(resource: resource, scopeSpans: [ScopeSpans(spans: spans.map(OTLPSpan.init))])]
    }
}

/// A span.
struct OTLPSpan: Encodable, Sendable {
    /// Whether the work failed.
    struct Status: Encodable, Sendable {
        let code: Int
    }

    let traceId: String
    let spanId: String
    let parentSpanId: String?
    let name: String
    let kind: Int
    let startTimeUnixNano: String
    let endTimeUnixNano: String
    let attributes: [OTLPAttribute]
    let status: Status?

    init(_ span: TraceSpan) {
        traceId = span.traceID
        spanId = span.spanID
        parentSpanId = span.parentID
        name = span.name
        kind = span.kind.rawValue
        startTimeUnixNano = span.start.unixNanoseconds
        endTimeUnixNano = span.end.unixNanoseconds
        attributes = OTLPAttribute.list(span.attributes)
        // STATUS_CODE_ERROR. Without a status it is unset, as it should be for a success.
        status = span.hasFailed ? Status(code: 2) : nil
    }
}
