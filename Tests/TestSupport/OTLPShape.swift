/// What JSON may be at one place of an OTLP message: JSON Protobuf with the exceptions of
/// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding. Stricter than a collector, which ignores fields
/// that it does not know.
indirect enum OTLPShape: Sendable {
    case text
    /// An id: so many digits, not all of them zero.
    case id(digits: Int)
    /// Digits in a text.
    case integer
    case number
    case flag
    case enumeration(ClosedRange<Int>)
    case list(OTLPShape, atLeast: Int)
    /// An object; if `choice` has anything, with exactly one of its fields.
    case message(
        required: [String: OTLPShape] = [:], optional: [String: OTLPShape] = [:], choice: [String: OTLPShape] = [:])

    /// What is wrong, with its place; `nil` if nothing is.
    func fault(in value: JSONValue, at place: String) -> String? {
        switch (self, value) {
        case (.text, .string), (.number, .number), (.flag, .boolean): nil
        case (.number, .string(let text)): ["NaN", "Infinity", "-Infinity"].contains(text) ? nil : "\(place): \(text)"
        case (.integer, .string(let text)): UInt64(text) == nil ? "\(place): \(text)" : nil
        case (.id(let digits), .string(let text)):
            text.count == digits && text.allSatisfy(\.isHexDigit) && text.contains { $0 != "0" }
                ? nil : "\(place): \(text)"
        case (.enumeration(let range), .number(let number)):
            Int(exactly: number).map { range.contains($0) } == true ? nil : "\(place): \(number)"
        case (.list(let shape, let minimum), .array(let elements)):
            elements.count < minimum
                ? "\(place): empty" : elements.lazy.compactMap { shape.fault(in: $0, at: "\(place)[]") }.first
        case (.message(let required, let optional, let choice), .object(let fields)):
            Self.fault(in: fields, required: required, optional: optional, choice: choice, at: place)
        default: "\(place): another type"
        }
    }

    private static func fault(
        in fields: [String: JSONValue], required: [String: OTLPShape], optional: [String: OTLPShape],
        choice: [String: OTLPShape], at place: String
    ) -> String? {
        if let missing = required.keys.first(where: { fields[$0] == nil }) { return "\(place): no \(missing)" }
        if !choice.isEmpty, fields.keys.count(where: { choice[$0] != nil }) != 1 { return "\(place): not one choice" }
        for (name, value) in fields {
            guard let shape = required[name] ?? optional[name] ?? choice[name] else { return "\(place): \(name)?" }
            if let fault = shape.fault(in: value, at: "\(place).\(name)") { return fault }
        }
        return nil
    }
}

extension OTLPShape {
    /// An `ExportTraceServiceRequest`, as far as this program uses it.
    static let traces = envelope("resourceSpans", "scopeSpans", "spans", of: span)
    /// An `ExportMetricsServiceRequest`, as far as this program uses it.
    static let metrics = envelope("resourceMetrics", "scopeMetrics", "metrics", of: metric)

    private static func envelope(
        _ resources: String, _ scopes: String, _ items: String, of item: OTLPShape
    ) -> OTLPShape {
        let scope = message(required: [
            "scope": message(required: ["name": text, "version": text]), items: list(item, atLeast: 1),
        ])
        let resource = message(required: [
            "resource": message(required: ["attributes": attributes]), scopes: list(scope, atLeast: 1),
        ])
        return message(required: [resources: list(resource, atLeast: 1)])
    }

    private static let attributes = list(
        message(required: ["key": text, "value": message(choice: ["stringValue": text, "intValue": integer])]),
        atLeast: 0)

    private static let span = message(
        required: [
            "traceId": id(digits: 32), "spanId": id(digits: 16), "name": text, "kind": enumeration(1...5),
            "startTimeUnixNano": integer, "endTimeUnixNano": integer, "attributes": attributes,
        ],
        optional: ["parentSpanId": id(digits: 16), "status": message(required: ["code": enumeration(0...2)])])

    private static let metric = message(
        required: ["name": text], optional: ["description": text, "unit": text],
        choice: [
            "sum": message(required: [
                "dataPoints": list(sumPoint, atLeast: 1), "aggregationTemporality": enumeration(1...2),
                "isMonotonic": flag,
            ]),
            "gauge": message(required: ["dataPoints": list(gaugePoint, atLeast: 1)]),
            "summary": message(required: ["dataPoints": list(summaryPoint, atLeast: 1)]),
            "histogram": message(required: [
                "dataPoints": list(histogramPoint, atLeast: 1), "aggregationTemporality": enumeration(1...2),
            ]),
        ])

    private static let gaugePoint = message(
        required: ["attributes": attributes, "timeUnixNano": integer, "asDouble": number])
    private static let sumPoint = message(
        required: [
            "attributes": attributes, "startTimeUnixNano": integer, "timeUnixNano": integer, "asDouble": number,
        ])
    private static let summaryPoint = message(
        required: [
            "attributes": attributes, "startTimeUnixNano": integer, "timeUnixNano": integer, "count": integer,
            "sum": number,
        ])
    private static let histogramPoint = message(
        required: [
            "attributes": attributes, "startTimeUnixNano": integer, "timeUnixNano": integer, "count": integer,
            "sum": number, "bucketCounts": list(integer, atLeast: 1), "explicitBounds": list(number, atLeast: 1),
        ])
}
