import Foundation

@testable import HappinessAPI

/// Compares JSON values with schemas, by the keywords of JSON Schema that `openapi.yaml` uses.
struct SchemaChecker {
    let document: OpenAPIDocument

    /// The problems of a value; empty if it fits.
    func problems(of value: JSONTree, against reference: JSONTree, at place: String = "value") -> [String] {
        let schema = document.resolved(reference)
        var found: [String] = []
        if let type = schema["type"] {
            let types = type.text.map { [$0] } ?? type.items.compactMap(\.text)
            if !types.contains(where: { Self.isOf($0, value) }) { found.append("\(place): is not of \(types)") }
        }
        if let values = schema["enum"]?.items, !values.contains(where: { $0.json == value.json }) {
            found.append("\(place): \(value.json) is none of the values")
        }
        if let only = schema["const"], only.json != value.json { found.append("\(place): is not \(only.json)") }
        for part in schema["allOf"]?.items ?? [] { found += problems(of: value, against: part, at: place) }
        if let alternatives = schema["oneOf"]?.items {
            let fitting = alternatives.filter { problems(of: value, against: $0, at: place).isEmpty }.count
            if fitting != 1 { found.append("\(place): fits \(fitting) of the alternatives") }
        }
        switch value {
        case .text(let text):
            found += problems(ofText: text, schema, at: place)
        case .number(let digits):
            let number = Double(digits) ?? .nan
            if let least = Self.number(schema["minimum"]), !(number >= least) { found.append("\(place): is too small") }
            if let most = Self.number(schema["maximum"]), !(number <= most) { found.append("\(place): is too large") }
        case .list(let items):
            found += Self.lengthProblems(items.count, schema["minItems"], schema["maxItems"], at: place)
            if let rule = schema["items"] {
                found += items.flatMap { problems(of: $0, against: rule, at: "\(place)[]") }
            }
        case .object(let fields):
            found += problems(ofObject: fields, schema, at: place)
        case .null, .bool:
            break
        }
        return found
    }

    private func problems(ofText text: String, _ schema: JSONTree, at place: String) -> [String] {
        let length = text.unicodeScalars.count
        var found = Self.lengthProblems(length, schema["minLength"], schema["maxLength"], at: place)
        let formats = [
            "date-time": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
            "date": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "email": "^[^@ ]+@[^@ ]+$", "uri": "^[a-z]+:.",
        ]
        for pattern in [schema["pattern"]?.text, formats[schema["format"]?.text ?? ""]].compactMap(\.self)
        where text.range(of: pattern, options: .regularExpression) == nil {
            found.append("\(place): \(text) does not match \(pattern)")
        }
        return found
    }

    private func problems(ofObject fields: [JSONTree.Field], _ schema: JSONTree, at place: String) -> [String] {
        let missing = (schema["required"]?.items ?? []).compactMap(\.text).filter { name in
            !fields.contains { $0.name == name }
        }
        return missing.map { "\(place): lacks \($0)" }
            + fields.flatMap { field -> [String] in
                let name = "\(place).\(field.name)"
                if let rule = schema["properties"]?[field.name] {
                    return problems(of: field.value, against: rule, at: name)
                }
                switch schema["additionalProperties"] {
                case .bool(false): return ["\(name): is unknown"]
                case .object(let rules): return problems(of: field.value, against: .object(rules), at: name)
                default: return []
                }
            }
    }

    private static func lengthProblems(
        _ length: Int, _ least: JSONTree?, _ most: JSONTree?, at place: String
    ) -> [String] {
        let fits = Double(length) >= number(least) ?? 0 && Double(length) <= number(most) ?? .infinity
        return fits ? [] : ["\(place): has a length of \(length)"]
    }

    private static func number(_ value: JSONTree?) -> Double? {
        value.flatMap { Double($0.plain) }
    }

    private static func isOf(_ type: String, _ value: JSONTree) -> Bool {
        switch (type, value) {
        case ("null", .null), ("boolean", .bool), ("number", .number), ("string", .text), ("array", .list),
            ("object", .object):
            true
        case ("integer", .number(let digits)): Int(digits) != nil
        default: false
        }
    }
}
