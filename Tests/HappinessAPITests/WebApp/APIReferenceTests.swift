import Foundation
import HTTPTypes
import HummingbirdTesting
import Services
import TestSupport
import Testing
import Yams

@testable import HappinessAPI

/// The pages of the API reference, compared with `openapi.yaml`.
@Suite struct APIReferenceTests {
    @Test(.thorough) func `Every operation of the document is on the page of its topic`() async throws {
        try await TestApp.with { app in
            let document = try Self.document()
            let paths = try #require(document["paths"] as? [String: [String: Any]])
            let tags = try #require(document["tags"] as? [[String: String]]).compactMap { $0["name"] }
            let index = try await app.get("/api/reference")
            expectPage(index, saying: "API reference")
            var pages: [String: String] = [:]
            for tag in tags {
                let address = "/api/reference/\(APIReference.slug(tag))"
                #expect(index.text.contains("href=\"\(address)\""), "\(tag)")
                let page = try await app.get(address)
                expectPage(page)
                pages[tag] = page.text
            }
            var shown = 0
            for (path, item) in paths {
                for case (let method, let operation as [String: Any]) in item where method != "parameters" {
                    let tag = try #require((operation["tags"] as? [String])?.first)
                    let id = try #require(operation["operationId"] as? String)
                    let start = "data-method=\"\(method.uppercased())\" data-path=\"\(path)\""
                    #expect(pages[tag]?.contains(start) == true, "\(method) \(path)")
                    #expect(pages[tag]?.contains("<div id=\"\(id)\"") == true, "\(id)")
                    #expect(index.text.contains("href=\"/api/reference/\(APIReference.slug(tag))#\(id)\""), "\(id)")
                    shown += 1
                }
            }
            #expect(pages.values.reduce(0) { $0 + $1.matches(of: /<details class="operation"/).count } == shown)
        }
    }

    @Test(.thorough) func `Links within a page of the reference lead somewhere, and ids are unique`() async throws {
        let reference = try Self.reference()
        let guide = try Repository.text("templates/pages/api.html")
        try await TestApp.with { app in
            for topic in reference.topics {
                let html = try await app.get(topic.address).text
                let ids = html.matches(of: /\sid="([^"]+)"/).map { String($0.output.1) }
                #expect(Set(ids).count == ids.count, "\(topic.name)")
                let targets = Set(html.matches(of: /href="#([^"]+)"/).map { String($0.output.1) })
                #expect(targets.subtracting(ids).isEmpty, "\(topic.name)")
                for reason in html.matches(of: /href="\/api#([^"]+)"/) {
                    #expect(guide.contains(" id=\"\(reason.output.1)\">"), "\(topic.name)")
                }
            }
        }
    }

    @Test func `A topic that does not exist is not found`() async throws {
        try await TestApp.with { app in
            for path in ["/api/reference/none", "/api/reference/Teams", "/api/reference/%3Cscript%3E"] {
                expectPage(try await app.get(path), 404, saying: "There’s nothing at this address")
            }
        }
    }

    @Test func `The frame is in the reader's language, and shows the logged-in user`() async throws {
        try await TestApp.with { app in
            let german = try await app.get("/api/reference/teams?language=de")
            expectPage(german, saying: "Mitglieder des Teams", language: "de")
            #expect(!german.text.contains("form-token") && !german.text.contains("value=\"session\""))
            let team = try await app.makeTeam()
            let browser = try await app.browser(of: team.lead.user)
            let own = try await browser.get("/api/reference/teams").text
            #expect(own.contains("<meta name=\"form-token\" content=\""))
            #expect(own.contains("<strong>\(team.lead.user.name)</strong>"))
        }
    }

    @Test func `Every JSON body and answer has an example that fits its schema`() throws {
        let document = try OpenAPIDocument(yaml: Repository.text("openapi/openapi.yaml"))
        let checker = SchemaChecker(document: document)
        var checked = 0
        for path in document.paths {
            for method in path.value.fields where method.name != "parameters" {
                let body = method.value["requestBody"].map { ("body", document.resolved($0)) }
                let answers = (method.value["responses"]?.fields ?? []).map { ($0.name, document.resolved($0.value)) }
                for (name, node) in [body].compactMap(\.self) + answers {
                    for content in node["content"]?.fields ?? [] where content.name == "application/json" {
                        let example = try #require(document.example(ofContent: content.value), "\(path.name) \(name)")
                        let schema = try #require(content.value["schema"])
                        let problems = checker.problems(of: example, against: schema)
                        #expect(problems.isEmpty, "\(method.name) \(path.name) \(name): \(problems)")
                        checked += 1
                    }
                }
            }
        }
        #expect(checked > 100)
    }

    @Test(arguments: [
        #"{"id":"x"}"#, #"{"label":7}"#, #"{"label":"2026/23","happiness":11}"#, #"{"label":"2026/23","more":1}"#, "[]",
    ])
    func `The comparison of examples with schemas notices mistakes`(json: String) throws {
        let document = try OpenAPIDocument(
            yaml: #"""
                components:
                  schemas:
                    X:
                      type: object
                      required: [label]
                      properties:
                        label: { type: string, pattern: '^[0-9]+/[0-9]+$' }
                        happiness: { oneOf: [{ type: number, maximum: 10 }, { type: 'null' }] }
                      additionalProperties: false
                """#)
        let checker = SchemaChecker(document: document)
        let schema = JSONTree.object([.init(name: "$ref", value: .text("#/components/schemas/X"))])
        func tree(_ json: String) throws -> JSONTree { JSONTree(try #require(try Yams.compose(yaml: json))) }
        #expect(!checker.problems(of: try tree(json), against: schema).isEmpty)
        let good = try tree(#"{"label":"2026/23","happiness":null}"#)
        #expect(checker.problems(of: good, against: schema).isEmpty)
    }

    @Test func `Values are read as YAML 1.2 has them, and printed as JSON`() throws {
        let yaml = #"{ a: 2026-11-09, b: yes, c: 0.1, d: null, e: 'null', f: "x\ty\"\\", g: [true, -2], h: 2026/3 }"#
        let tree = JSONTree(try #require(try Yams.compose(yaml: yaml)))
        let json =
            #"{ "a": "2026-11-09", "b": "yes", "c": 0.1, "d": null, "e": "null", "f": "x\ty\"\\", "g": [true, -2], "#
        #expect(tree.json == json + #""h": "2026/3" }"#)
        let pretty = tree.prettyJSON()
        #expect(pretty.hasPrefix("{\n  \"a\": \"2026-11-09\",\n  \"b\""))
        let parsed = try JSONSerialization.jsonObject(with: Data(pretty.utf8)) as? [String: Any]
        #expect(parsed?["f"] as? String == "x\ty\"\\")
    }
}

extension APIReferenceTests {
    /// A document whose every text is hostile.
    static func reference(saying text: String) throws -> APIReference {
        let quoted = JSONTree.text(text).json
        let yaml = """
            tags: [{ name: \(quoted), description: \(quoted) }]
            paths:
              \(quoted):
                post:
                  tags: [\(quoted)]
                  operationId: \(quoted)
                  summary: \(quoted)
                  description: \(quoted)
                  parameters:
                    - name: \(quoted)
                      in: query
                      example: \(quoted)
                      description: \(quoted)
                      schema: { type: string, enum: [\(quoted)], pattern: \(quoted) }
                  requestBody:
                    content:
                      \(quoted):
                        example: \(quoted)
                        schema: { type: object, properties: { \(quoted): { type: \(quoted), format: \(quoted) } } }
                  responses:
                    "200": { description: \(quoted), content: { \(quoted): { schema: { $ref: "#/components/schemas/X" } } } }
            components: { schemas: { X: { description: \(quoted), properties: { \(quoted): { const: \(quoted) } } } } }
            """
        return APIReference(try OpenAPIDocument(yaml: yaml), reasons: [text])
    }

    private static func reference() throws -> APIReference {
        APIReference(try OpenAPIDocument(yaml: Repository.text("openapi/openapi.yaml")), reasons: [])
    }

    private static func document() throws -> [String: Any] {
        try #require(try Yams.load(yaml: Repository.text("openapi/openapi.yaml")) as? [String: Any])
    }
}
