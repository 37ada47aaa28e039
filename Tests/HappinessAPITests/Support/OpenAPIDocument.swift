import Foundation
import Yams

/// An OpenAPI 3.1 document, as far as our own uses it.
struct OpenAPIDocument: Sendable {
    private let root: JSONTree

    /// - Throws: an error of the YAML parser.
    init(yaml: String) throws {
        root = try Yams.compose(yaml: yaml).map { JSONTree($0) } ?? .null
    }

    /// Paths in their order.
    var paths: [JSONTree.Field] { root["paths"]?.fields ?? [] }

    /// The value that a `$ref` leads to; a value without one is returned unchanged.
    func resolved(_ value: JSONTree) -> JSONTree {
        var value = value
        // The bound ends a circle of references.
        for _ in 0..<Self.deepest {
            guard let target = value["$ref"]?.text.flatMap(find) else { return value }
            value = target
        }
        return value
    }

    /// The last part of a `$ref`, such as `Sprint`; `nil` without one.
    func referredName(_ value: JSONTree) -> String? {
        value["$ref"]?.text?.split(separator: "/").last.map(String.init)
    }

    private func find(_ reference: String) -> JSONTree? {
        reference.split(separator: "/").dropFirst().reduce(root) { $0?[String($1)] }
    }

    /// References and levels that are followed.
    static let deepest = 12
}

// Schemas

extension OpenAPIDocument {
    /// The properties of an object, those of `allOf` included, with whether they are required. If several parts have
    /// the same property, the last one is used.
    func properties(of schema: JSONTree, depth: Int = 0) -> [(name: String, schema: JSONTree, isRequired: Bool)] {
        guard depth < Self.deepest else { return [] }
        let schema = resolved(schema)
        let required = Set(schema["required"]?.items.compactMap(\.text) ?? [])
        var found: [(name: String, schema: JSONTree, isRequired: Bool)] = []
        let own = (schema["properties"]?.fields ?? []).map {
            (name: $0.name, schema: $0.value, isRequired: required.contains($0.name))
        }
        for property in (schema["allOf"]?.items ?? []).flatMap({ properties(of: $0, depth: depth + 1) }) + own {
            if let index = found.firstIndex(where: { $0.name == property.name }) {
                found[index] = property
            } else {
                found.append(property)
            }
        }
        return found
    }

    /// The alternatives of `oneOf` or `anyOf`, without the one for `null`; empty without any.
    func alternatives(of schema: JSONTree) -> [JSONTree] {
        (schema["oneOf"] ?? schema["anyOf"])?.items.filter { $0["type"]?.text != "null" } ?? []
    }

    /// Types of a schema's values, without `null`.
    func types(of schema: JSONTree) -> [String] {
        guard let type = schema["type"] else { return [] }
        return (type.text.map { [$0] } ?? type.items.compactMap(\.text)).filter { $0 != "null" }
    }

    /// The example of a request's or response's content: the written one, or one that follows from its schema; `nil`
    /// for content without a schema.
    func example(ofContent content: JSONTree) -> JSONTree? {
        if let written = content["example"]
            ?? content["examples"]?.fields.first.flatMap({ resolved($0.value)["value"] })
        {
            return written
        }
        return content["schema"].map { example(of: $0) }
    }

    /// The example of a schema: the written one, else the only or first value, else one that follows from its type.
    func example(of reference: JSONTree, depth: Int = 0) -> JSONTree {
        let schema = resolved(reference)
        let written = reference["example"] ?? schema["example"] ?? schema["const"]
        if let written = written ?? schema["enum"]?.items.first(where: { !$0.isNull }) { return written }
        if let value = schema["default"], !value.isNull { return value }
        guard depth < Self.deepest else { return .null }
        let properties = properties(of: schema)
        if !properties.isEmpty {
            return .object(
                properties.map { .init(name: $0.name, value: example(of: $0.schema, depth: depth + 1)) })
        }
        if let first = alternatives(of: schema).first { return example(of: first, depth: depth + 1) }
        switch types(of: schema).first {
        case "array":
            guard let items = schema["items"] else { return .list([]) }
            let count = max(1, schema["minItems"].flatMap { Int($0.plain) } ?? 1)
            return .list(Array(repeating: example(of: items, depth: depth + 1), count: count))
        case "object":
            guard let values = schema["additionalProperties"], !values.fields.isEmpty else { return .object([]) }
            return .object([.init(name: "name", value: example(of: values, depth: depth + 1))])
        case "integer", "number":
            return schema["minimum"] ?? .number("1")
        case "boolean":
            return .bool(true)
        case "string":
            return .text(Self.texts[schema["format"]?.text ?? ""] ?? "text")
        default:
            return .null
        }
    }

    /// Examples of texts by their format.
    private static let texts = [
        "date-time": "2026-11-09T08:00:00Z", "date": "2026-11-09", "email": "anna@example.org",
        "uri": "https://happiness.example.org/", "uri-reference": "/", "password": "purple lamp 9",
    ]
}
