import Foundation
import Yams

/// A JSON value whose objects keep the order of their fields.
enum JSONTree: Sendable {
    case null
    case bool(Bool)
    /// As written, such as `0.1`.
    case number(String)
    case text(String)
    case list([JSONTree])
    case object([Field])

    /// A field of an object.
    struct Field: Sendable {
        let name: String
        let value: JSONTree
    }

    /// A value of a YAML document, by the core schema of YAML 1.2 (§10.3.2), as OpenAPI requires: unlike in YAML 1.1,
    /// a date or `yes` is a text.
    init(_ node: Node) {
        switch node {
        case .mapping(let fields):
            self = .object(fields.map { Field(name: $0.key.scalar?.string ?? "", value: JSONTree($0.value)) })
        case .sequence(let items):
            self = .list(items.map { JSONTree($0) })
        case .scalar(let scalar):
            self = scalar.style == .plain ? Self(plain: scalar.string) : .text(scalar.string)
        default:
            self = .null
        }
    }

    private init(plain text: String) {
        switch text {
        case "", "~", "null": self = .null
        case "true": self = .bool(true)
        case "false": self = .bool(false)
        default: self = text.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?/) == nil ? .text(text) : .number(text)
        }
    }

    /// A field of an object; `nil` if there is none, or this is not an object.
    subscript(_ name: String) -> JSONTree? {
        fields.first { $0.name == name }?.value
    }

    /// Fields of an object; otherwise empty.
    var fields: [Field] {
        if case .object(let fields) = self { fields } else { [] }
    }

    /// Items of a list; otherwise empty.
    var items: [JSONTree] {
        if case .list(let items) = self { items } else { [] }
    }

    /// A text; otherwise `nil`.
    var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// A single value as people read it, without quotation marks.
    var plain: String {
        text ?? json
    }

    /// JSON on one line.
    var json: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let digits): digits
        case .text(let text): Self.quoted(text)
        case .list(let items): "[\(items.map(\.json).joined(separator: ", "))]"
        case .object(let fields):
            "{ \(fields.map { "\(Self.quoted($0.name)): \($0.value.json)" }.joined(separator: ", ")) }"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
