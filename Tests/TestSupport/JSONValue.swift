import Foundation

/// Any JSON value, with strict types: `true`, `1` and `"1"` differ.
package enum JSONValue: Sendable, Equatable, Decodable {
    /// JSON `null`.
    case null
    /// `true` or `false`.
    case boolean(Bool)
    /// Any number.
    case number(Double)
    /// A JSON string.
    case string(String)
    /// A JSON array.
    case array([JSONValue])
    /// Fields by name.
    case object([String: JSONValue])

    /// Tries one type after the other.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// A field of an object; `nil` for anything else.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let fields) = self else { return nil }
        return fields[name]
    }

    /// The string; `nil` for any other value.
    package var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The elements of an array; empty for any other value.
    package var elements: [JSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    /// Bytes of all names and values in it.
    var size: Int {
        switch self {
        case .null: 4
        case .boolean: 5
        case .number(let number): "\(number)".utf8.count
        case .string(let text): text.utf8.count
        case .array(let values): values.reduce(0) { $0 + $1.size }
        case .object(let fields): fields.reduce(0) { $0 + $1.key.utf8.count + $1.value.size }
        }
    }
}
