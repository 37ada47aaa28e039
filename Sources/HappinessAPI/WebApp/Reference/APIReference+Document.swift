extension APIReference {
    /// The address of the page with all operations; topics are below it.
    static let path = "/api/reference"

    /// - Parameter reasons: of errors that the page about the API explains.
    init(_ document: OpenAPIDocument, reasons: Set<String>) {
        topics = document.tags.map { TopicReader(document, reasons: reasons, tag: $0).topic }
    }

    /// The part of a topic's address: its name in lower case.
    static func slug(_ name: String) -> String {
        String(name.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "-" })
    }
}

/// Reads the operations of a topic from the document.
private struct TopicReader {
    private let document: OpenAPIDocument
    private let words: SchemaWords
    private let reasons: Set<String>
    private let tag: JSONTree
    private let address: String
    private let operations: [OperationNode]
    /// References of refusals that several operations have.
    private let shared: Set<String>

    private struct OperationNode {
        let method: String
        let path: String
        let node: JSONTree
        let parameters: [JSONTree]
    }

    /// The media type of refusals (RFC 9457). The page about the API describes them.
    private static let problem = "application/problem+json"
    private static let methods: Set<String> = ["get", "put", "post", "delete", "patch"]

    init(_ document: OpenAPIDocument, reasons: Set<String>, tag: JSONTree) {
        self.document = document
        self.reasons = reasons
        self.tag = tag
        words = SchemaWords(document: document)
        address = "\(APIReference.path)/\(APIReference.slug(tag["name"]?.text ?? ""))"
        operations = document.paths.flatMap { path in
            path.value.fields.filter { Self.methods.contains($0.name) }.map { method in
                OperationNode(
                    method: method.name, path: path.name, node: method.value,
                    parameters: ((path.value["parameters"]?.items ?? []) + (method.value["parameters"]?.items ?? []))
                        .map(document.resolved))
            }
        }.filter { $0.node["tags"]?.items.first?.text == tag["name"]?.text }
        let names = operations.flatMap { operation in
            // Only refusals are shared: each operation shows its own successful answers.
            (operation.node["responses"]?.fields ?? []).filter { $0.name >= "400" }
                .compactMap { $0.value["$ref"]?.text }
        }
        let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
        shared = Set(counts.filter { $0.value > 1 }.keys)
    }

    var topic: APIReference.Topic {
        let name = tag["name"]?.text ?? ""
        return APIReference.Topic(
            slug: APIReference.slug(name), address: address, name: name, description: Prose(tag["description"]?.text),
            operations: operations.map(operation), answers: sharedAnswers, types: types)
    }

    private func operation(_ operation: OperationNode) -> APIReference.Operation {
        let node = operation.node
        let id = node["operationId"]?.text ?? ""
        let responses = node["responses"]?.fields ?? []
        return APIReference.Operation(
            id: id, link: "\(address)#\(id)", method: operation.method.uppercased(), path: operation.path,
            summary: node["summary"]?.text ?? "", callers: .init(caller(of: operation)),
            changes: operation.method != "get", description: Prose(node["description"]?.text),
            parameters: operation.parameters.map(parameter), hasParameters: !operation.parameters.isEmpty,
            body: node["requestBody"].map { body(document.resolved($0)) },
            ownAnswers: responses.filter { !isShared($0.value) }.map(answer),
            sharedAnswers: responses.filter { isShared($0.value) }.map {
                APIReference.AnswerLink(target: anchor($0), code: $0.name)
            })
    }

    /// As the document says, which a test requires of every operation.
    private func caller(of operation: OperationNode) -> APIReference.Caller {
        operation.node["x-callers"]?.text.flatMap(APIReference.Caller.init) ?? .users
    }

    private func parameter(_ node: JSONTree) -> APIReference.Parameter {
        let schema = node["schema"] ?? .null
        let resolved = document.resolved(schema)
        let values = resolved["enum"]?.items.map(\.plain).joined(separator: " ")
        return APIReference.Parameter(
            field: words.field(
                node["name"]?.text ?? "", schema: schema, isRequired: node["required"]?.isTrue == true,
                description: node["description"]?.text),
            place: node["in"]?.text ?? "", choices: values,
            hint: (node["example"] ?? resolved["example"] ?? resolved["default"])?.plain)
    }

    // Bodies and answers

    private func body(_ node: JSONTree) -> APIReference.Body {
        let contents = node["content"]?.fields ?? []
        let json = contents.first { $0.name == "application/json" }
        let text = contents.first { $0.name.hasPrefix("text/") }
        let shown = json ?? text ?? contents.first
        let schema = shown?.value["schema"]
        let fields = schema.map { words.fields(of: $0) } ?? []
        let isForm = contents.count == 1 && shown?.name == "multipart/form-data"
        let example = isForm ? nil : shown.flatMap { document.example(ofContent: $0.value) }
        return APIReference.Body(
            media: contents.map(\.name).joined(separator: ", "), isMandatory: node["required"]?.isTrue == true,
            kind: json != nil ? "json" : text != nil ? "text" : isForm ? "form" : "file",
            sentType: shown?.name ?? "", part: isForm ? fields.first?.name : nil,
            bodyExample: example.map { json == nil ? $0.plain : $0.prettyJSON() }, fields: fields,
            hasFields: !fields.isEmpty)
    }

    private func isShared(_ response: JSONTree) -> Bool {
        response["$ref"]?.text.map(shared.contains) ?? false
    }

    /// The anchor of a response: its status, and the name that its reference has.
    private func anchor(_ response: JSONTree.Field) -> String {
        "answer-\(response.name)-\(document.referredName(response.value) ?? "")"
    }

    private func answer(_ response: JSONTree.Field) -> APIReference.Answer {
        let node = document.resolved(response.value)
        let content = node["content"]?.fields.first
        let schema = content?.value["schema"]
        // A refusal whose example nobody wrote would show one of another refusal.
        let isProblem = content?.name == Self.problem
        let lacksExample = isProblem && content?.value["example"] == nil
        let example = lacksExample ? nil : content.flatMap { document.example(ofContent: $0.value) }
        return APIReference.Answer(
            anchor: anchor(response), status: response.name,
            description: Prose(node["description"]?.text, reasons: reasons),
            answerMedia: isProblem ? nil : content?.name,
            answerType: schema.flatMap {
                !isProblem && (document.isObject($0) || words.isList($0)) ? words.typeName($0) : nil
            },
            answerExample: example.map { content?.name.hasSuffix("json") == true ? $0.prettyJSON() : $0.plain })
    }

    private var sharedAnswers: [APIReference.Answer] {
        var known: Set<String> = []
        return operations.flatMap { ($0.node["responses"]?.fields ?? []).filter { isShared($0.value) } }
            .filter { known.insert(anchor($0)).inserted }
            .sorted { ($0.name, anchor($0)) < ($1.name, anchor($1)) }
            .map(answer)
    }

    /// All objects that bodies and answers refer to, and those that these refer to, in alphabetical order.
    private var types: [APIReference.ObjectType] {
        var names: Set<String> = []
        for operation in operations {
            let body = operation.node["requestBody"].map(document.resolved)
            for content in body?["content"]?.fields ?? [] {
                // The fields of the body itself are with the operation.
                guard let schema = content.value["schema"] else { continue }
                for property in document.properties(of: schema) { words.collect(property.schema, into: &names) }
            }
            for response in operation.node["responses"]?.fields ?? [] {
                for content in document.resolved(response.value)["content"]?.fields ?? []
                where content.name != Self.problem {
                    if let schema = content.value["schema"] { words.collect(schema, into: &names) }
                }
            }
        }
        return names.sorted().map { name in
            let reference = JSONTree.object([.init(name: "$ref", value: .text("#/components/schemas/\(name)"))])
            return APIReference.ObjectType(
                typeID: name, description: Prose(document.resolved(reference)["description"]?.text),
                fields: words.fields(of: reference))
        }
    }
}
