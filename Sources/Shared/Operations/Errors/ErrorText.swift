/// Takes out of the texts of an error what may be somebody's, before anything is stored.
///
/// Nobody can tell a person's words from a program's for certain, so that the rule is the other way round: what is kept has
/// the form of code. Quoted text goes, for a parser quotes what somebody typed; every number goes from a message, for a
/// ballot's value is one; addresses, tokens, ids and paths go. A line of a stack keeps its numbers, but only if it has the
/// form of a frame, with the name of a source file and a position.
///
/// Every function reads its text once from front to back: reports are made by whoever likes, and a regular expression can
/// be made to take seconds.
enum ErrorText {
    /// Characters that are read of a message; the report keeps fewer.
    private static let longestMessage = 2_000
    /// Lines of a stack.
    private static let mostLines = 40
    /// Characters of a line of a stack.
    private static let longestLine = 300

    /// In place of what was taken out.
    static let gap = "…"

    /// A message without quoted text, numbers, addresses, tokens, ids, paths.
    static func message(_ text: String) -> String {
        let line = oneLine(text, limit: longestMessage)
        var hidesNext = false
        return withoutQuotes(line).split(separator: " ").map { word in
            let scrubbed = hidesNext ? gap : ErrorWord.scrubbed(String(word))
            // Only the word behind the name is the secret: `Bearer eyJ…`, `password: hunter2`.
            hidesNext = !hidesNext && ErrorWord.announcesSecret(word)
            return scrubbed
        }.joined(separator: " ")
    }

    /// The frames of a stack, a line each, without addresses and ids. Other lines go, for an error's words are among them,
    /// in as many lines as they have; of a cause its kind stays.
    static func stack(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).prefix(mostLines)
            .compactMap { line in
                let line = oneLine(String(line), limit: longestLine)
                return ErrorFrame(line)?.text ?? cause(line)
            }
            .joined(separator: "\n")
    }

    /// `Caused by: java.io.IOException`
    private static func cause(_ line: String) -> String? {
        let start = "Caused by: "
        guard line.hasPrefix(start) else { return nil }
        let kind = line.dropFirst(start.count).prefix { $0 != ":" && $0 != " " }
        return ErrorFrame.isSymbol(kind) && ErrorWord.withoutIDs(String(kind)) == kind ? start + kind : nil
    }

    /// What a program runs on, with the first part of a version only: who has the one phone with 17.4.1 in a team would
    /// be known by it.
    static func platform(_ text: String) -> String {
        oneLine(text, limit: longestLine).split(separator: " ").map { word in
            let whole = word.prefix { $0 != "." && $0 != "_" }
            let isVersion = word.allSatisfy { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "_") }
            return isVersion && (1...3).contains(whole.count) ? String(whole) : ErrorWord.scrubbed(String(word))
        }.joined(separator: " ")
    }

    /// Every run of digits as one mark.
    static func withoutNumbers(_ text: String) -> String {
        var result = ""
        var isInNumber = false
        for character in text {
            if !character.isNumber {
                result.append(character)
            } else if !isInNumber {
                result.append("#")
            }
            isInNumber = character.isNumber
        }
        return result
    }

    /// Without control characters and double spaces, cut to a length that nobody can blow up with combining marks.
    private static func oneLine(_ text: String, limit: Int) -> String {
        let space: Unicode.Scalar = " "
        let scalars = text.unicodeScalars.prefix(limit).map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
                space
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars)).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    // MARK: - Quotes

    /// In this order: an engine quotes with one kind what may have the other in it.
    private static let quotes: [(open: Character, close: Character)] = [
        ("\"", "\""), ("“", "”"), ("„", "“"), ("«", "»"), ("»", "«"), ("‹", "›"), ("`", "`"), ("‘", "’"), ("'", "'"),
    ]
    /// Engines quote the name of a property behind these: `Cannot read properties of null (reading 'focus')`.
    private static let namingWords: Set<Substring> = ["reading", "(reading", "setting", "(setting", "property"]
    /// Characters of such a name.
    private static let longestName = 40

    private static func withoutQuotes(_ text: String) -> String {
        String(quotes.reduce(Array(text)) { hiding($0, from: $1.open, to: $1.close) })
    }

    /// From the first quotation mark to the last one, since what is quoted may hold such marks itself. One that is not
    /// closed hides the rest.
    private static func hiding(_ text: [Character], from open: Character, to close: Character) -> [Character] {
        var start = 0
        while let first = text[start...].firstIndex(of: open) {
            // The apostrophe of "can't" opens nothing.
            if open == "'", first > 0, text[first - 1].isLetter || text[first - 1].isNumber {
                start = first + 1
                continue
            }
            let rest = text[(first + 1)...]
            if let end = rest.firstIndex(of: close), isName(text[(first + 1)..<end], after: text[..<first]) {
                start = end + 1
                continue
            }
            let end = rest.lastIndex(of: close).map { $0 + 1 } ?? text.count
            return text[..<first] + [open] + gap + [close] + text[end...]
        }
        return text
    }

    private static func isName(_ text: ArraySlice<Character>, after before: ArraySlice<Character>) -> Bool {
        let word = before.reversed().drop { $0 == " " }.prefix { $0 != " " }.reversed()
        return text.count <= longestName && namingWords.contains(Substring(String(word)))
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_" || $0 == "$") }
    }
}
