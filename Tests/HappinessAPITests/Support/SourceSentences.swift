import Domain
import TestSupport

/// Finds the sentences of the API in the sources.
enum SourceSentences {
    /// Files whose errors only commands of the operator print, in English.
    private static let ofCommands = [
        "/App/Commands/", "/HistoryFile.swift", "/HistoryImport.swift", "/ClassicImport.swift",
        "/SprintReopening.swift",
    ]

    /// The templates of all sentences that an answer can have (`Sentence.template`).
    static func templates() throws -> Set<String> {
        let beginning = /(?:\bAppError\(\s*\.\w+,|\bself\.init\(\s*\.\w+,|\bSentence\(|\botherwise:)\s*(?=")/
        var templates: Set<String> = []
        let sources = try Repository.sources(in: "Sources").filter { source in
            !ofCommands.contains { source.path.contains($0) }
        }
        for source in sources {
            for match in source.text.matches(of: beginning) {
                let template = template(from: source.text[match.range.upperBound...])
                // A text that is nothing but a value has no translation.
                if template.replacing(/\{[a-z]\}/, with: "").contains(where: \.isLetter) { templates.insert(template) }
            }
        }
        return templates
    }

    /// Reads an argument that consists of string literals with plus signs between them.
    private static func template(from text: Substring) -> String {
        var rest = text
        var template = ""
        var values = 0
        while let character = rest.popFirst(), character != ",", character != ")", character != "}", character != "]" {
            if character == "\"" { template += literal(&rest, values: &values) }
        }
        return template
    }

    /// Reads a string literal, behind its first quotation mark.
    private static func literal(_ rest: inout Substring, values: inout Int) -> String {
        var text = ""
        while let character = rest.popFirst(), character != "\"" {
            guard character == "\\", let escaped = rest.popFirst() else {
                text.append(character)
                continue
            }
            guard escaped == "(" else {
                text.append(escaped)
                continue
            }
            skipInterpolation(&rest)
            text += "{\(Sentence.placeholder(values))}"
            values += 1
        }
        return text
    }

    /// Reads an interpolated value, behind its opening parenthesis.
    private static func skipInterpolation(_ rest: inout Substring) {
        var depth = 1
        while depth > 0, let character = rest.popFirst() {
            switch character {
            case "(": depth += 1
            case ")": depth -= 1
            case "\"": while let inner = rest.popFirst(), inner != "\"" {}
            default: break
            }
        }
    }
}
