import TestSupport
import Testing

/// Rules that the targets cannot enforce: rules stay out of the stores, and the features of a layer refer to each other
/// in one direction.
@Suite struct LayerTests {
    @Test func `Stores throw no refusal`() throws {
        for source in try Repository.sources(in: "Sources/Shared/Storage") {
            #expect(!source.text.contains("AppError"), "\(source.path)")
        }
    }

    @Test func `The services' features refer to each other in one direction`() throws {
        let references = try Self.references(in: "Sources/Shared/Services")
        #expect(references["Voting"]?.contains("Sprints") == true, "references are found")
        var left = references
        while let (leaf, _) = left.first(where: { $0.value.isDisjoint(with: left.keys) }) { left[leaf] = nil }
        #expect(left.isEmpty, "these folders refer to each other in circles")
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

    /// The folders that each folder of a layer refers to: those that declare a type it names.
    private static func references(in layer: String) throws -> [String: Set<String>] {
        let declaration = /(?m)^(?:package |final )*(?:struct|class|enum|actor|protocol) (\w+)/
        var words: [String: Set<String>] = [:]
        var declared: [String: String] = [:]
        for source in try Repository.sources(in: layer) {
            let code = source.text.replacing(/\/\/[^\n]*|"[^"\n]*"/, with: "")
            let path = source.path.split(separator: "/\(layer)/")[1].split(separator: "/")
            guard path.count > 1 else { continue }
            let folder = String(path[0])
            words[folder, default: []].formUnion(code.matches(of: /\w+/).map { String($0.output) })
            for match in code.matches(of: declaration) { declared[String(match.output.1)] = folder }
        }
        return words.reduce(into: [:]) { references, entry in
            references[entry.key] = Set(entry.value.compactMap { declared[$0] }).subtracting([entry.key])
        }
    }
}
