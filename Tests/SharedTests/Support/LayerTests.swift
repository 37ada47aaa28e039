import TestSupport
import Testing

/// Rules that the targets cannot enforce: rules stay out of the stores, and the folders of a target refer to each other
/// in one direction.
@Suite struct LayerTests {
    @Test func `Stores throw no refusal`() throws {
        for source in try Repository.sources(in: "Sources/Shared/Storage") {
            #expect(!source.text.contains("AppError"), "\(source.path)")
        }
    }

    /// So that the imports of a file say what it uses.
    @Test func `No module exports another`() throws {
        for source in try Repository.sources(in: "Sources") {
            #expect(!source.text.contains("@_exported"), "\(source.path)")
        }
    }

    /// Pages and routes read through services, which know who may read what.
    @Test func `The web app holds no store of the database`() throws {
        for source in try Repository.sources(in: "Sources/HappinessAPI") {
            let stores = source.text.matches(of: /any (\w*Store)\b/).map(\.output.1).filter { $0 != "ObjectStore" }
            #expect(stores.isEmpty, "\(source.path)")
        }
    }

    /// A target whose folders have an order.
    private struct Layer {
        /// Relative to the root.
        let path: String
        /// Whether the folders within features have one too.
        var hasOrderedSubfolders = false
        /// Two folders of which the first refers to the second: references are found at all.
        let known: (from: String, to: String)
    }

    private static let layers = [
        Layer(path: "Sources/HappinessAPI", hasOrderedSubfolders: true, known: ("Voting", "Pages")),
        Layer(path: "Sources/Shared/Services", known: ("Voting", "Sprints")),
        Layer(path: "Sources/Shared/Domain", known: ("Voting", "Accounts")),
        Layer(path: "Sources/Shared/Storage", known: ("SQLite", "Rows")),
    ]

    /// On failure the names that lead up are listed: what they name belongs further down, or the file further up.
    @Test func `The folders of a target refer to each other in one direction`() throws {
        let sources = try Repository.sources(in: "Sources").map { (path: $0.path, names: SourceNames($0.text)) }
        for layer in Self.layers {
            var files: [String: SourceNames] = [:]
            var others: [SourceNames] = []
            for source in sources {
                let parts = source.path.split(separator: "/\(layer.path)/")
                if parts.count == 2 { files[String(parts[1])] = source.names } else { others.append(source.names) }
            }
            let features = FolderReferences(files, others: others) { path in
                path.contains("/") ? path.split(separator: "/").first.map(String.init) : nil
            }
            #expect(features.references[layer.known.from]?[layer.known.to] != nil, "references are found")
            Self.expectOrder(of: features, in: layer.path)
            guard layer.hasOrderedSubfolders else { continue }
            let folders = FolderReferences(files, others: others) { path in
                path.lastIndex(of: "/").map { String(path[..<$0]) }
            }
            Self.expectOrder(of: folders, in: layer.path)
        }
    }

    private static func expectOrder(of references: FolderReferences, in layer: String) {
        let (folders, upward) = references.order()
        let lines = upward.map { "\($0.source) -> \($0.target): \($0.name)" }
        #expect(
            upward.isEmpty,
            """
            \(layer): these references lead up in the order \(folders.joined(separator: ", ")):
            \(lines.joined(separator: "\n"))
            """)
    }

    /// Texts that only look like code, and the other way round.
    @Test func `References are found in code, not in texts`() {
        let names = SourceNames(
            ##"""
            // Comment
            extension Request { func limit() -> Int { let local = 1; return local } }
            struct Outer { struct Inner {} ; let field = "Text \(call(Type.make("Nested \(deep)"))) more" }
            private enum Hidden { case first }
            let raw = #"Raw \(Nothing) "quoted" \#(Something.other)"#, ratio = total / Divisor.value
            let pattern = /"(\w+)\/Pattern/, long = """
                Long "quoted" \(Interpolated.value)
                """
            func free<Value>(_ value: Value) {}
            """##)
        #expect(names.declared == ["Outer", "free("])
        #expect(names.inner == ["Inner", "Hidden"])
        #expect(names.added == ["limit"])
        #expect(names.members == ["limit", "field", "first"])
        #expect(
            names.used == ["Request", "Int", "call(", "Type", "Something", "Divisor", "Interpolated", "Value"])
        #expect(names.selected == ["make", "other", "value"])
    }

    /// The writers of Foundation and of the standard library end the process, or lose text without a word.
    @Test func `Programs print through ProgramOutput`() throws {
        for source in try Repository.sources(in: "Sources") where !source.path.hasSuffix("/ProgramOutput.swift") {
            let code = source.text.replacing("func print(", with: "")
            // Few files have one of these, and the expression takes seconds for all of them.
            let mayPrint = ["print(", "fputs(", "debugPrint("].contains { code.contains($0) }
            let function = mayPrint ? code.firstMatch(of: /(?:^|[^\w.])(?:print|fputs|debugPrint)\(/) : nil
            let handle = code.firstMatch(of: /FileHandle\.standard(?:Output|Error)/)
            #expect(function == nil && handle == nil, "\(source.path)")
        }
    }
}
