import Domain
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Ports
import Services
import Storage
import TestSupport
import Testing

@testable import HappinessAPI

/// Fields that the API does not have, in the body of every operation in `openapi.yaml`.
@Suite struct UnknownFieldTests {
    @Test(arguments: StoreUnderTest.all)
    func `Every body of the API refuses a misspelt field, in inner objects too`(kind: StoreUnderTest) async throws {
        let bodies = try Self.bodies()
        #expect(bodies.count > 30, "each operation has at least one")
        try await Self.withTeam(over: kind) { app, team, parameters in
            for body in bodies {
                let path = body.route.replacing(/{([^}]+)}/) { parameters[String($0.output.1)] ?? "unknown" }
                let response = try await app.send(
                    body.method, path, token: body.isOpen ? nil : team.lead.token,
                    headers: [.contentType: "application/json"], body: ByteBuffer(string: body.json))
                switch body.rule {
                case .listed:
                    expectRejection(response, 400, saying: "The field \(body.place) is unknown.", "\(body)")
                    #expect(response.object["type"] as? String == "/api#unknown-field", "\(body)")
                case .names:
                    expectRejection(response, 422, saying: "There’s no such", "\(body)")
                case .open:
                    #expect((response.object["type"] as? String)?.hasSuffix("unknown-field") != true, "\(body)")
                }
            }
            // Nothing of it had an effect.
            let lead = try #require(try await app.stores.user(team.lead.user.id))
            #expect(lead.name == team.lead.user.name && lead.passwordHash == team.lead.user.passwordHash)
            #expect(try await app.stores.team(team.id)?.name == "Blue")
            #expect(try await app.tally(of: team)?.count ?? 0 == 0)
        }
    }

    @Test func `The document says of which objects all fields are known`() throws {
        let open = Set(try Self.bodies().filter { $0.rule == .open }.map { "\($0)" })
        let device = "POST /api/v1/me/devices: subscription"
        #expect(open == ["\(device).disply_name", "\(device).keys.disply_name"])
    }

    @Test func `The first clients' routes ignore what they do not know`() async throws {
        try await TestApp.with { app in
            _ = try await app.makeUser("anna")
            let json = #"{"username":"anna","password":"\#(TestApp.password)","disply_name":"Anna"}"#
            let response = try await app.post("/user/login", json: json)
            #expect(response.status == .ok, "\(response.classic)")
        }
    }

    @Test func `Reminder settings can be sent back as they were read`() async throws {
        try await TestApp.with { app in
            let team = try await app.makeTeam()
            let read = try await app.get("\(team.path)/reminders", token: team.lead.token)
            #expect(read.object["standardTexts"] != nil)
            let response = try await app.put("\(team.path)/reminders", token: team.lead.token, json: read.text)
            #expect(response.status == .ok && response.text == read.text, "\(response.classic)")
        }
    }

    // MARK: - Decoding

    private struct Outer: Decodable, Equatable {
        let name: String
        let inner: Inner?
        let list: [Inner]?
        let map: [String: Inner]?
        let foreign: Foreign?

        struct Inner: Decodable, Equatable {
            let count: Int?
        }

        struct Foreign: TakesUnknownFields, Equatable {
            let inner: Inner?
        }
    }

    @Test(arguments: [
        (#"{"name":"a","names":1}"#, "The field names is unknown. Known are: foreign, inner, list, map, name."),
        (#"{"name":"a","inner":{"cuont":1}}"#, "The field inner.cuont is unknown. Known are: count."),
        (#"{"name":"a","list":[{},{"count":2,"x":null}]}"#, "The field list[1].x is unknown. Known are: count."),
        (#"{"name":"a","map":{"b":{"c":1}}}"#, "The field map.b.c is unknown. Known are: count."),
        (#"{"name":"a","<b>":1}"#, "The request has an unknown field. Known are: foreign, inner, list, map, name."),
        (#"{"name":1,"x":1}"#, "The field name has the wrong type."), (#"{"x":1}"#, "The field name is missing."),
        (#"{"name":"a","inner":7}"#, "The field inner has the wrong type."),
        ("[]", "The request must be a JSON object."),
    ])
    func `A refusal names the field`(json: String, message: String) throws {
        let refused = #expect(throws: AppError.self) {
            try JSONFields.decode(KnownFields<Outer>.self, from: ByteBuffer(string: json))
        }
        #expect(refused?.code == .malformed && refused?.message == message)
    }

    @Test func `Known fields arrive unchanged`() throws {
        let json = """
            {"name":"a","inner":{"count":1},"list":[{},{"count":2}],"map":{"b":{"count":3},"c":{"count":null}},
             "foreign":{"inner":{"count":4,"x":1},"y":[]}}
            """
        let value = try JSONFields.decode(KnownFields<Outer>.self, from: ByteBuffer(string: json)).value
        let expected = Outer(
            name: "a", inner: .init(count: 1), list: [.init(count: nil), .init(count: 2)],
            map: ["b": .init(count: 3), "c": .init(count: nil)], foreign: .init(inner: .init(count: 4)))
        #expect(value == expected)
        let short = try JSONFields.decode(KnownFields<Outer>.self, from: ByteBuffer(string: #"{"name":"b"}"#))
        #expect(short.value == Outer(name: "b", inner: nil, list: nil, map: nil, foreign: nil))
    }
}

extension UnknownFieldTests {
    /// What the document says about the fields of an object.
    private enum Rule: Sendable {
        /// All are known.
        case listed
        /// They are the names of reminders or languages, and others are rejected as such.
        case names
        /// The object is not ours, and may have any.
        case open
    }

    /// A body with one field too many.
    private struct Body: Sendable, CustomStringConvertible {
        let method: HTTPRequest.Method
        /// The path pattern.
        let route: String
        /// Whether the operation is for callers without a login.
        let isOpen: Bool
        let json: String
        /// The path of the additional field.
        let place: String
        let rule: Rule

        var description: String { "\(method.rawValue) \(route): \(place)" }
    }

    /// One body for each object in the JSON body of each operation of `/api/v1`: the example that follows from the
    /// schema, which has all fields, with a misspelt one in that object.
    private static func bodies() throws -> [Body] {
        let document = try OpenAPIDocument(yaml: Repository.text("openapi/openapi.yaml"))
        var bodies: [Body] = []
        for path in document.paths where path.name.hasPrefix("/api/v1/") {
            for operation in path.value.fields where operation.name != "parameters" {
                let content = operation.value["requestBody"].map { document.resolved($0) }?["content"]
                guard let schema = content?["application/json"]?["schema"] else { continue }
                let method = try #require(HTTPRequest.Method(operation.name.uppercased()))
                let isOpen = operation.value["x-callers"]?.text == "anyone"
                let found = misspelt(document.example(of: schema), schema, at: "", in: document)
                try #require(!found.isEmpty, "\(operation.name) \(path.name)")
                bodies += found.map {
                    Body(
                        method: method, route: path.name, isOpen: isOpen, json: $0.value.json, place: $0.place,
                        rule: $0.rule)
                }
            }
        }
        return bodies
    }

    private typealias Misspelt = (value: JSONTree, place: String, rule: Rule)

    private static func misspelt(
        _ value: JSONTree, _ reference: JSONTree, at place: String, in document: OpenAPIDocument
    ) -> [Misspelt] {
        var reference = reference
        if document.properties(of: reference).isEmpty,
            let alternative = document.alternatives(of: document.resolved(reference)).first
        {
            reference = alternative
        }
        let schema = document.resolved(reference)
        switch value {
        case .object(let fields):
            let known = document.properties(of: schema)
            guard !known.isEmpty else { return [] }
            let prefix = place.isEmpty ? "" : "\(place)."
            var rule = Rule.open
            if case .bool(false) = schema["additionalProperties"] { rule = .listed }
            let maps = ["ReminderTexts", "ReminderTranslations"]
            if let name = document.referredName(reference), maps.contains(name) { rule = .names }
            let extra = JSONTree.Field(name: "disply_name", value: .object([]))
            var found: [Misspelt] = [(.object(fields + [extra]), "\(prefix)disply_name", rule)]
            for (index, field) in fields.enumerated() {
                guard let part = known.first(where: { $0.name == field.name })?.schema else { continue }
                found += misspelt(field.value, part, at: prefix + field.name, in: document).map { inner -> Misspelt in
                    var changed = fields
                    changed[index] = JSONTree.Field(name: field.name, value: inner.value)
                    return (.object(changed), inner.place, inner.rule)
                }
            }
            return found
        case .list(let items):
            guard let item = items.first, let part = schema["items"] else { return [] }
            return misspelt(item, part, at: "\(place)[0]", in: document).map { inner -> Misspelt in
                (.list([inner.value] + items.dropFirst()), inner.place, inner.rule)
            }
        case .null, .bool, .number, .text:
            return []
        }
    }

    /// A team whose lead is also an administrator, so that every route is allowed, and values for the parameters of
    /// paths.
    private static func withTeam(
        over kind: StoreUnderTest,
        _ body: @escaping @Sendable (TestApp, SignedInTeam, [String: String]) async throws -> Void
    ) async throws {
        try await kind.withStores { stores in
            try await TestApp.with(stores: stores) { app in
                let team = try await app.makeTeam(members: 2)
                try await app.stores.update(id: team.lead.user.id, UserUpdate(role: .admin))
                let action = try await app.post(
                    "\(team.path)/actions", token: team.lead.token, json: #"{"title":"Less noise"}"#)
                let parameters = [
                    "team": team.id.description, "user": team.members[1].user.id.description,
                    "action": try #require(action.object["id"] as? String), "year": "2026", "number": "2",
                    "language": "en", "text": "vote.title",
                ]
                try await body(app, team, parameters)
            }
        }
    }
}
