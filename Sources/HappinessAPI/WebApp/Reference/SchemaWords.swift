/// Types and limits of a schema in words. They are English, like the descriptions.
struct SchemaWords {
    let document: OpenAPIDocument

    /// The fields of an object. Objects within it that have no name of their own are listed with it.
    func fields(of schema: JSONTree, prefix: String = "", depth: Int = 0) -> [APIReference.Field] {
        guard depth < OpenAPIDocument.deepest else { return [] }
        let own = document.properties(of: schema).flatMap { property in
            let name = prefix + property.name
            let inner = innerObject(of: property.schema)
            return [field(name, schema: property.schema, isRequired: property.isRequired)]
                + (inner.map { fields(of: $0.schema, prefix: "\(name)\($0.suffix)", depth: depth + 1) } ?? [])
        }
        if own.isEmpty, let list = innerObject(of: schema), list.suffix.hasPrefix("[") {
            return fields(of: list.schema, prefix: prefix + list.suffix, depth: depth + 1)
        }
        return own
    }

    func field(
        _ name: String, schema: JSONTree, isRequired: Bool, description: String? = nil
    ) -> APIReference.Field {
        let text = description ?? schema["description"]?.text ?? value(of: schema)["description"]?.text
        let isLinked = typeName(schema).objectName != nil
        return APIReference.Field(
            name: name, isRequired: isRequired, type: typeName(schema), limits: limits(of: schema),
            // An object's own description is where the link leads.
            description: Prose(isLinked ? description ?? schema["description"]?.text : text))
    }

    /// For example `string`, `list of Sprint`, or `string, date or null`.
    func typeName(_ schema: JSONTree) -> APIReference.TypeName {
        let end = document.isNullable(schema) ? " or null" : ""
        let inner = value(of: schema)
        if let name = objectName(of: schema) { return .init(before: "", objectName: name, after: end) }
        let resolved = document.resolved(inner)
        if document.types(of: resolved).first == "array", let items = resolved["items"] {
            let item = typeName(items)
            return .init(before: "list of \(item.before)", objectName: item.objectName, after: item.after + end)
        }
        let alternatives = document.alternatives(of: resolved)
        if alternatives.count > 1, resolved["properties"] == nil {
            let names = alternatives.map { plainName($0) }
            return .init(before: names.joined(separator: " or ") + end, objectName: nil, after: "")
        }
        return .init(before: plainName(resolved) + end, objectName: nil, after: "")
    }

    func isList(_ schema: JSONTree) -> Bool {
        document.types(of: document.resolved(schema)).first == "array"
    }

    /// Names of the objects that a schema refers to, and of those that they refer to.
    func collect(_ schema: JSONTree, into names: inout Set<String>) {
        if let name = objectName(of: schema) {
            guard names.insert(name).inserted else { return }
        }
        let inner = document.resolved(value(of: schema))
        for property in document.properties(of: inner) { collect(property.schema, into: &names) }
        if let items = inner["items"] { collect(items, into: &names) }
        if let values = inner["additionalProperties"], !values.fields.isEmpty { collect(values, into: &names) }
    }

    /// The schema of the values other than `null`.
    private func value(of schema: JSONTree) -> JSONTree {
        let resolved = document.resolved(schema)
        let alternatives = document.alternatives(of: resolved)
        guard alternatives.count == 1, resolved["properties"] == nil, let only = alternatives.first else {
            return schema
        }
        return only
    }

    /// The name of an object that is described on its own.
    private func objectName(of schema: JSONTree) -> String? {
        let inner = value(of: schema)
        return document.isObject(inner) ? document.referredName(inner) : nil
    }

    /// An object without a name of its own: in a field, or in the items of a list.
    private func innerObject(of schema: JSONTree) -> (schema: JSONTree, suffix: String)? {
        guard objectName(of: schema) == nil else { return nil }
        let inner = document.resolved(value(of: schema))
        if let items = inner["items"] {
            guard objectName(of: items) == nil, document.isObject(items) else { return nil }
            return (items, "[].")
        }
        return document.isObject(inner) ? (inner, ".") : nil
    }

    private func plainName(_ schema: JSONTree) -> String {
        let types = document.types(of: schema)
        let name = types.isEmpty ? schema["const"].map { _ in "string" } ?? "any" : types.joined(separator: " or ")
        if name == "object", let values = schema["additionalProperties"], !values.fields.isEmpty {
            return "object of \(plainName(document.resolved(values)))"
        }
        return schema["format"]?.text.map { "\(name), \($0)" } ?? name
    }

    private func limits(of reference: JSONTree) -> String? {
        let inner = value(of: reference)
        let schema = document.resolved(inner)
        var parts: [String] = []
        if let only = schema["const"] { parts.append("always \(only.plain)") }
        if let values = schema["enum"]?.items.filter({ !$0.isNull }) {
            parts.append("one of \(values.map(\.plain).joined(separator: ", "))")
        }
        parts += [
            Self.range(schema["minimum"], schema["maximum"], of: ""),
            Self.range(schema["minLength"], schema["maxLength"], of: " characters"),
            Self.range(schema["minItems"], schema["maxItems"], of: " items"),
            schema["multipleOf"].map { "in steps of \($0.plain)" },
            schema["pattern"].map { "matches \($0.plain)" },
            (reference["default"] ?? schema["default"]).map { "default \($0.plain)" },
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    private static func range(_ least: JSONTree?, _ most: JSONTree?, of unit: String) -> String? {
        switch (least?.plain, most?.plain) {
        case (nil, nil): nil
        case (let least?, nil): "at least \(least)\(unit)"
        case (nil, let most?): "at most \(most)\(unit)"
        case (let least?, let most?): least == most ? "\(least)\(unit)" : "\(least) to \(most)\(unit)"
        }
    }
}
