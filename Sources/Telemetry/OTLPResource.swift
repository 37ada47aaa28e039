import Foundation
import Ports
import Product

/// The process that traces and metrics come from, as in OpenTelemetry's
/// [conventions for services](https://opentelemetry.io/docs/specs/semconv/resource/service/).
struct OTLPResource: Encodable, Sendable {
    let attributes: [OTLPAttribute]

    /// - Parameter instanceID: different for each start of a process: the collector adds up counters of several
    ///   processes only if it can tell them apart.
    init(serviceName: String, instanceID: UUID) {
        attributes = OTLPAttribute.list([
            "service.instance.id": .text(instanceID.uuidString.lowercased()), "service.name": .text(serviceName),
            "service.version": .text(ProductVersion.current),
        ])
    }
}

/// What spans and metrics were created by: this program, without any library.
struct OTLPScope: Encodable, Sendable {
    let name = "happiness-metric"
    let version = ProductVersion.current
}

/// A name and its value.
struct OTLPAttribute: Encodable, Sendable {
    /// One of the two.
    struct Value: Encodable, Sendable {
        var stringValue: String?
        /// In digits: JSON Protobuf writes 64-bit integers as text.
        var intValue: String?
    }

    let key: String
    let value: Value

    /// Ordered by name.
    static func list(_ values: [String: TraceSpan.Value]) -> [OTLPAttribute] {
        values.sorted { $0.key < $1.key }.map { name, value in
            switch value {
            case .text(let text): OTLPAttribute(key: name, value: Value(stringValue: text))
            case .number(let number): OTLPAttribute(key: name, value: Value(intValue: String(number)))
            }
        }
    }
}

extension Date {
    /// Nanoseconds since 1970, in digits.
    var unixNanoseconds: String {
        // In two parts: for so many nanoseconds, a `Double` has steps of 256.
        let seconds = max(0, timeIntervalSince1970)
        let whole = seconds.rounded(.down)
        return String(UInt64(whole) * 1_000_000_000 + UInt64((seconds - whole) * 1e9))
    }
}
