/// Scrubs one word of an error's message (`ErrorText`).
enum ErrorWord {
    /// A mixture of letters and digits from this length on is taken for an id or a token.
    private static let shortestID = 8
    /// From this length on, a run without digits is not a word in any language.
    private static let longestWord = 48

    /// The part of the word that may be kept.
    static func scrubbed(_ word: String) -> String {
        if word.contains("://") || word.contains("\\") || word.dropFirst().contains("/") || word.hasPrefix("/") {
            return SourcePosition(word)?.text ?? ErrorText.gap
        }
        if word.dropFirst().contains("@") || word.contains("%40") { return ErrorText.gap }
        if let value = word.firstIndex(where: { $0 == "=" || $0 == "?" }), value != word.indices.last {
            // A query, or a setting with its value: only the name is kept.
            let name = word[..<value]
            return "\(ErrorText.withoutNumbers(withoutIDs(String(name))))\(word[value])\(ErrorText.gap)"
        }
        return ErrorText.withoutNumbers(withoutIDs(word))
    }

    private static let secretNames = [
        "bearer", "basic", "token", "password", "passwort", "secret", "authorization", "cookie", "user", "name",
    ]

    /// Whether the following word is a secret.
    static func announcesSecret(_ word: some StringProtocol) -> Bool {
        let name = word.lowercased().filter(\.isLetter)
        return secretNames.contains { name.hasSuffix($0) }
    }

    /// The word without runs of letters, digits, `-` and `_` that are ids or tokens.
    static func withoutIDs(_ word: String) -> String {
        var result = ""
        var run = ""
        func isID() -> Bool {
            let hasDigit = run.contains(where: \.isNumber)
            return run.count >= longestWord || run.hasPrefix("eyJ") || run.count >= shortestID && hasDigit
        }
        for character in word {
            if character.isLetter || character.isNumber || character == "-" || character == "_" {
                run.append(character)
            } else {
                result += isID() ? ErrorText.gap : run
                result.append(character)
                run = ""
            }
        }
        return result + (isID() ? ErrorText.gap : run)
    }
}

/// The name of a source file, with line and column if present: the only part of a URL or path that is kept.
///
/// Folders and hosts are removed: a home folder is named after its owner, and a path of ours may contain an id,
/// initials or a query.
struct SourcePosition {
    /// `vote.js:12:3`.
    let text: String
    /// Whether it includes a line.
    let hasPosition: Bool

    private static let kinds: Set<String> = [
        "js", "mjs", "cjs", "ts", "jsx", "tsx", "vue", "html", "css", "wasm", "swift", "m", "mm", "c", "cc", "cpp", "h",
        "kt", "kts", "java", "dart", "py", "go", "rs",
    ]

    /// - Returns: `nil` if the word does not end with the name of a source file.
    init?(_ word: String) {
        var name = word.split(whereSeparator: { $0 == "/" || $0 == "\\" || $0 == "(" || $0 == "@" }).last ?? ""
        while let mark = name.last, "),]>:".contains(mark) { name.removeLast() }
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        guard let whole = parts.first, parts.count <= 3 else { return nil }
        // Before the position, because browsers put it after the query.
        let file = whole.prefix { $0 != "?" && $0 != "#" }
        let position = parts.dropFirst()
        guard position.allSatisfy({ (1...7).contains($0.count) && $0.allSatisfy { $0.isASCII && $0.isNumber } }),
            let dot = file.lastIndex(of: "."), Self.kinds.contains(file[file.index(after: dot)...].lowercased()),
            file.count <= 80, file.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "._-+$".contains($0)) }),
            ErrorWord.withoutIDs(String(file[..<dot])) == file[..<dot]
        else { return nil }
        text = ([file] + position).joined(separator: ":")
        hasPosition = !position.isEmpty
    }
}
