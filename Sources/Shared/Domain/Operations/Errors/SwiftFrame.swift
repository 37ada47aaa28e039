/// A stack line of Swift's backtracer, which prints a crash on Linux and macOS
/// (https://github.com/swiftlang/swift/blob/main/docs/Backtracing.rst):
///
///     0 [ra] 0x00005581 closure #1 in Vote.cast(_:) + 68 in Happiness at /home/maria/app/Vote.swift:42:15
///
/// Attributes, address, offset and place may be missing. The folder of the file, the address and every word that is not
/// code are removed.
enum SwiftFrame {
    /// Words of a line; a function with generic arguments has dozens.
    private static let mostWords = 60
    /// Characters of a function that are kept.
    private static let longestFunction = 160
    /// Digits of the frame's number.
    private static let longestNumber = 4

    private static let attributes: Set<String> = ["[ra]", "[async]", "[inlined]", "[system]", "[thunk]"]
    /// Words with which the demangler describes functions, and the arrow in their types.
    private static let descriptions: Set<String> = [
        "->", "@escaping", "@nonobjc", "@objc", "apply", "argument", "async", "await", "closure", "conformance", "copy",
        "default", "dispatch", "expression", "extension", "for", "function", "generic", "helper", "implicit", "in",
        "initialization", "key", "merged", "of", "outlined", "partial", "path", "protocol", "reabstraction", "resume",
        "specialization", "specialized", "static", "suspend", "throws", "thunk", "variable", "witness",
    ]

    /// - Parameter words: the line's.
    /// - Returns: the scrubbed frame; `nil` if the line is none.
    static func text(_ words: [String]) -> String? {
        guard words.count <= mostWords, let number = words.first, isNumber(number, longest: longestNumber) else {
            return nil
        }
        var start = 1
        while start < words.count, attributes.contains(words[start]) { start += 1 }
        let kept = Array(words[..<start])
        let hasAddress = start < words.count && isAddress(words[start])
        if hasAddress { start += 1 }
        // A closure is `in` its function. The last one is followed by the module alone, or by the module and the place.
        guard
            let end = words.indices.dropFirst(start + 1).first(where: { index in
                words[index] == "in" && index + 1 < words.count
                    && (index + 2 == words.count || words[index + 2] == "at")
            }), ErrorFrame.isSymbol(words[end + 1][...])
        else { return nil }
        var function = words[start..<end]
        var offset: [String] = []
        if function.count > 2, function[end - 2] == "+", isNumber(function[end - 1], longest: 7) {
            offset = Array(function.suffix(2))
            function = function.dropLast(2)
        }
        // What the compiler generated has no file.
        let place = end + 2 < words.count ? SourcePosition(words[words.count - 1]) : nil
        let hasPosition = place?.hasPosition == true
        guard hasAddress || !offset.isEmpty || hasPosition, let name = scrubbed(function) else { return nil }
        let parts = kept + [name] + offset + ["in", words[end + 1]]
        return parts.joined(separator: " ") + (hasPosition ? place.map { " at \($0.text)" } ?? "" : "")
    }

    /// - Returns: `nil` if no word is code.
    private static func scrubbed(_ function: ArraySlice<String>) -> String? {
        // `main` and `start` are code only if they stand alone.
        if function.count == 1, let only = function.first, ErrorFrame.isSymbol(only[...]) { return only }
        guard function.contains(where: isCode) else { return nil }
        let words = function.map { word in
            descriptions.contains(word) || isOrdinal(word) || isCode(word) ? word : ErrorText.gap
        }
        return String(words.joined(separator: " ").prefix(longestFunction))
    }

    /// `Vote.cast(_:)`, `level1()`, `_start`, `Array<Int>.subscript.getter`: it has a character of code between others.
    private static func isCode(_ word: String) -> Bool {
        guard word.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "._$<>[]()*~-:,@&?!=".contains($0)) }),
            ErrorWord.withoutIDs(word) == word || word.contains("(")
        else { return false }
        let characters = Array(word)
        let isInside = characters.indices.dropFirst().dropLast().contains { index in
            ".(<".contains(characters[index]) && isIdentifier(characters[index - 1]) && characters[index + 1] != " "
        }
        return isInside || word.hasPrefix("_") || word.hasPrefix("$")
    }

    /// `#1`, `(1)`.
    private static func isOrdinal(_ word: String) -> Bool {
        let digits = word.hasPrefix("#") ? word.dropFirst() : word.hasPrefix("(") ? word.dropFirst().dropLast() : ""
        return isNumber(digits, longest: 3)
    }

    private static func isIdentifier(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "_$)>]".contains(character))
    }

    private static func isNumber(_ word: some StringProtocol, longest: Int) -> Bool {
        (1...longest).contains(word.count) && word.allSatisfy { $0.isASCII && $0.isNumber }
    }

    private static func isAddress(_ word: String) -> Bool {
        word.hasPrefix("0x") && word.count > 2 && word.dropFirst(2).allSatisfy(\.isHexDigit)
    }
}
