import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
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
            let index = try await app.get("/api/reference")
            expectPage(index, saying: "API reference")
            var pages: [String: String] = [:]
            var addresses: [String: String] = [:]
            for (address, tag) in try Self.topics() {
                addresses[tag] = address
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
                    #expect(index.text.contains("href=\"\(addresses[tag] ?? "")#\(id)\""), "\(id)")
                    shown += 1
                }
            }
            #expect(pages.values.reduce(0) { $0 + $1.matches(of: /<details class="operation"/).count } == shown)
        }
    }

    @Test(.thorough) func `Links within a page of the reference lead somewhere, and ids are unique`() async throws {
        let guide = try Repository.text("templates/pages/api.html")
        try await TestApp.with { app in
            for (address, topic) in try Self.topics() {
                let html = try await app.get(address).text
                let ids = html.matches(of: /\sid="([^"]+)"/).map { String($0.output.1) }
                #expect(Set(ids).count == ids.count, "\(topic)")
                let targets = Set(html.matches(of: /href="#([^"]+)"/).map { String($0.output.1) })
                #expect(targets.subtracting(ids).isEmpty, "\(topic)")
                for reason in html.matches(of: /href="\/api#([^"]+)"/) {
                    #expect(guide.contains(" id=\"\(reason.output.1)\">"), "\(topic)")
                }
            }
        }
    }

    @Test func `A topic that does not exist is not found`() async throws {
        try await TestApp.with { app in
            let wrong = ["none", "Teams", "%3Cscript%3E", "..%2Fapi-reference", "%2E%2E%2Fapi-reference"]
            for path in wrong.map({ "/api/reference/\($0)" }) {
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
        let parsed = try JSONSerialization.jsonObject(with: Data(tree.json.utf8)) as? [String: Any]
        #expect(parsed?["f"] as? String == "x\ty\"\\")
    }
}

extension APIReferenceTests {
    /// Topics by their address.
    private static func topics() throws -> [String: String] {
        let tags = try #require(try document()["tags"] as? [[String: String]]).compactMap { $0["name"] }
        return Dictionary(
            uniqueKeysWithValues: tags.map { name in
                ("/api/reference/" + String(name.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "-" }), name)
            })
    }

    private static func document() throws -> [String: Any] {
        try #require(try Yams.load(yaml: Repository.text("openapi/openapi.yaml")) as? [String: Any])
    }
}
