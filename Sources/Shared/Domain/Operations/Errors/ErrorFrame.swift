/// A stack line in the form of a frame, reduced to its functions, file and position.
///
/// Four forms are supported: `at name (FILE:1:2)` of Chrome, Node, Java and Kotlin, `name@FILE:1:2` of Firefox and
/// Safari, `3 Module 0x00000001 symbol + 24` of Apple's crash reports, and `3 symbol + 24 in Module at FILE:1:2` of
/// Swift's backtracer (`SwiftFrame`). A line of prose matches none of them: it does not end with a source file and a
/// position, and it contains no address.
struct ErrorFrame {
    /// The scrubbed frame.
    let text: String

    /// Maximum number of words: `at async Object.vote [as send] (vote.js:1:2)` has six.
    private static let mostWords = 8
    /// Maximum length of a function's name in characters; those of Swift are long.
    private static let longestSymbol = 160

    /// - Parameter line: without double spaces.
    /// - Returns: `nil` if the line is not a frame.
    init?(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        let isShort = (1...Self.mostWords).contains(words.count)
        let short = isShort ? Self.withPlace(words) ?? Self.withAddress(words) : nil
        if let frame = short ?? SwiftFrame.text(words) {
            text = frame
        } else {
            return nil
        }
    }

    private static func withPlace(_ words: [String]) -> String? {
        guard let last = words.last, let place = SourcePosition(last), place.hasPosition else { return nil }
        if words.count == 1 {
            // Firefox and Safari; an anonymous function has no name.
            let function = last.contains("@") ? last.prefix { $0 != "@" } : ""
            return isSymbol(function) ? "\(function)@\(place.text)" : "@\(place.text)"
        }
        guard words[0] == "at" else { return nil }
        // Java writes function and position as one word: `at com.example.Vote.cast(Vote.java:12)`.
        let joined = last.contains("://") ? "" : last.prefix { $0 != "(" }
        let functions = words.dropFirst().dropLast().map { isSymbol($0[...]) ? $0 : ErrorText.gap }
        let name = isSymbol(joined) && last.contains("(") ? [String(joined)] : []
        return (["at"] + functions + name + ["(\(place.text))"]).joined(separator: " ")
    }

    private static func withAddress(_ words: [String]) -> String? {
        guard words.count >= 4, words[0].allSatisfy({ $0.isASCII && $0.isNumber }), words[0].count <= 4,
            words[2].hasPrefix("0x"), words[2].dropFirst(2).allSatisfy(\.isHexDigit)
        else { return nil }
        // The address differs each time the program starts; the offset stays the same.
        return words.enumerated().map { index, word in
            index == 2 ? "0x#" : isSymbol(word[...]) || word == "+" ? word : ErrorText.gap
        }.joined(separator: " ")
    }

    /// Whether a word can be the name of a function or type.
    static func isSymbol(_ word: Substring) -> Bool {
        (1...longestSymbol).contains(word.count)
            && word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._$<>[]*~-".contains($0)) }
    }
}
