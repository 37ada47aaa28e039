import Domain
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import ObjectStorage
import Ports
import Services
import Storage
import TestSupport
import Testing
import Yams

@testable import HappinessAPI

/// The API's description, the page about it, and the table of the pages for browsers, compared with the code.
@Suite struct OpenAPITests {
    @Test func `The document and the table of pages have exactly the existing routes`() async throws {
        let documented = try Self.describedOperations().union(Self.listedPages())
        let routed = try await Self.routedOperations()
        let missing = routed.subtracting(documented)
        let invented = documented.subtracting(routed)
        #expect(missing.isEmpty, "in the router but neither in openapi.yaml nor in docs/pages.md")
        #expect(invented.isEmpty, "in openapi.yaml or docs/pages.md but not in the router")
    }

    @Test func `Each route is documented once`() throws {
        let listed = try Self.listedPages()
        let inBoth = try Self.describedOperations().intersection(listed)
        #expect(inBoth.isEmpty, "in openapi.yaml and in docs/pages.md")
        #expect(Set(listed).count == listed.count, "twice in docs/pages.md")
        #expect(!listed.contains { $0.path.hasPrefix("/api/v1/") }, "of the API, but in docs/pages.md")
    }

    @Test func `Every operation has an ID of its own`() throws {
        let ids = try Self.operations().map { try #require($0.value["operationId"] as? String, "\($0.key) has none") }
        #expect(Set(ids).count == ids.count)
    }

    @Test func `Every parameter in a path is described`() throws {
        let document = try Self.document()
        for (path, item) in try Self.paths(of: document) {
            let inPath = path.matches(of: /{([^}]+)}/).map { String($0.output.1) }
            let described = try Self.parameters(of: item, in: document).filter { $0["in"] as? String == "path" }
            let names = Set(described.compactMap { $0["name"] as? String })
            #expect(names == Set(inPath), "\(path)")
        }
    }

    @Test func `The API page explains every possible reason`() throws {
        // Only the operator's command that opens a sprint again says these.
        let unanswered: Set<AppError.Reason> = [
            .laterSprintHasVotes, .sprintOver, .sprintNotClosed, .sprintImported, .sprintPublished, .sprintHasVotes,
            .sprintHasPapers,
        ]
        let reasons = Set(AppError.Reason.allCases.filter { !unanswered.contains($0) }.map(\.rawValue))
        let page = try Repository.text("templates/pages/api.html")
        let anchors = Set(page.matches(of: /<dt id="([a-z0-9-]+)">/).map { String($0.output.1) })
        #expect(reasons.subtracting(anchors).isEmpty, "without an explanation in api.html")
        #expect(anchors.subtracting(reasons).isEmpty, "explained in api.html, but nowhere thrown")
    }
}

extension OpenAPITests {
    /// A method and a path pattern.
    struct Operation: Hashable, CustomStringConvertible {
        let method: String
        let path: String

        var description: String { "\(method) \(path)" }
    }

    typealias Object = [String: Any]

    private static let methods: Set<String> = ["get", "put", "post", "delete", "patch", "options", "trace"]

    private static func document() throws -> Object {
        try #require(try Yams.load(yaml: Repository.text("openapi/openapi.yaml")) as? Object)
    }

    private static func paths(of document: Object) throws -> [String: Object] {
        try #require(document["paths"] as? [String: Object])
    }

    static func operations() throws -> [Operation: Object] {
        var operations: [Operation: Object] = [:]
        for (path, item) in try paths(of: document()) {
            for (method, operation) in item where methods.contains(method) {
                operations[Operation(method: method.uppercased(), path: path)] = operation as? Object
            }
        }
        return operations
    }

    private static func describedOperations() throws -> Set<Operation> {
        Set(try operations().keys)
    }

    /// The rows of the tables in `docs/pages.md`, such as "| GET | `/login` | anyone | …".
    private static func listedPages() throws -> [Operation] {
        try Repository.text("docs/pages.md").matches(of: /(?m)^\| ([A-Z]+) \| `([^`]+)` \|/).map {
            Operation(method: String($0.output.1), path: String($0.output.2))
        }
    }

    /// The parameters that all operations of a path share, references followed.
    private static func parameters(of item: Object, in document: Object) throws -> [Object] {
        let components = document["components"] as? Object
        let shared = try #require(components?["parameters"] as? [String: Object])
        return try (item["parameters"] as? [Object] ?? []).map { parameter in
            guard let reference = parameter["$ref"] as? String else { return parameter }
            let name = reference.replacing("#/components/parameters/", with: "")
            return try #require(shared[name], "\(reference) leads nowhere")
        }
    }

    /// The router's routes except `HEAD`, which the router derives from each `GET`.
    static func routedOperations() async throws -> Set<Operation> {
        try await withStoresAndDirectory { stores, directory in
            let secret = String(repeating: "x", count: Secrets.minimumLength)
            let settings = try Settings(values: ["JWT_SECRET": secret, "BALLOT_SECRET": secret])
            let parts = try AppParts(
                AppEnvironment(
                    stores: stores, secrets: Secrets.load(settings), settings: settings,
                    hasher: PasswordHasher(cost: PasswordHasher.costs.lowerBound),
                    pictures: PictureEnvironment(
                        objects: FileObjectStore(folder: directory.path("objects")),
                        maker: PictureProcess(logger: Logger(label: "test")),
                        uploads: UploadFolder(dataDirectory: directory.path("data"), logger: Logger(label: "test"))),
                    clock: .system,
                    files: ServerFiles(Repository.resources), logger: Logger(label: "test")))
            defer { parts.ballotBox.close() }
            let routes = parts.router.routes.filter { $0.method != .head }
            return Set(routes.map { Operation(method: $0.method.rawValue, path: $0.path.description) })
        }
    }

    private static func withStoresAndDirectory<Value>(
        _ body: (Stores, TemporaryDirectory) async throws -> Value
    ) async throws -> Value {
        try await StoreUnderTest.sqlite.withStores { stores in
            try await TemporaryDirectory.with { try await body(stores, $0) }
        }
    }
}
