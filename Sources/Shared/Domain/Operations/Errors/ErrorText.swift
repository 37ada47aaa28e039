/// Removes possibly personal data from the texts of an error before anything is stored.
///
/// No program can reliably distinguish a person's words from a program's, so only text in the form of code is kept.
/// Quoted text is removed, because parsers quote user input; every number is removed from a message, because it may be
/// a ballot's value; addresses, tokens, ids and paths are removed. A stack line keeps its numbers, but only if it has
/// the form of a frame, with the name of a source file and a position.
///
/// Every function reads its text once from front to back: anyone may send reports, and a crafted text can make a
/// regular expression take seconds.
enum ErrorText {
    /// Number of characters of a message that are read; the report keeps fewer.
    private static let longestMessage = 2_000
    /// Maximum number of stack lines that are kept.
    private static let mostLines = 40
    /// Maximum number of stack lines that are read: Swift prints some lines of source code below each frame.
    private static let mostLinesRead = 400
    /// Maximum length of a stack line that is read, in characters; those of Swift name the types of all arguments.
    private static let longestLine = 600
    /// Maximum length in characters of the sentence with which a Swift program ends itself.
    private static let longestFatalError = 200

    /// Replaces removed text.
    static let gap = "…"

    /// A message without quoted text, numbers, addresses, tokens, ids, paths.
    static func message(_ text: String) -> String {
        let line = oneLine(text, limit: longestMessage)
        var hidesNext = false
        return withoutQuotes(line).split(separator: " ").map { word in
            let scrubbed = hidesNext ? gap : ErrorWord.scrubbed(String(word))
            // Only the word after the name is the secret: `Bearer eyJ…`, `password: hunter2`.
            hidesNext = !hidesNext && ErrorWord.announcesSecret(word)
            return scrubbed
        }.joined(separator: " ")
    }

    /// The frames of a stack, one per line, without addresses and ids. Other lines are removed, because they may be
    /// part of the error's message; of a cause only its type is kept. The lines in which Swift says why a program
    /// crashed are kept like messages.
    static func stack(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).prefix(mostLinesRead).lazy
            .compactMap { line in
                let line = oneLine(String(line), limit: longestLine)
                return ErrorFrame(line)?.text ?? cause(line) ?? crash(line) ?? messageOfCrash(line)
            }
            .prefix(mostLines)
            .joined(separator: "\n")
    }

    /// `*** Program crashed: Bad pointer dereference at 0x0000000000000004 ***`, without the address.
    private static func crash(_ line: String) -> String? {
        let start = "*** Program crashed: "
        guard line.hasPrefix(start) else { return nil }
        let words = line.dropFirst(start.count).split(separator: " ").prefix { $0 != "at" && $0 != "***" }
        guard (1...5).contains(words.count),
            words.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isLetter } })
        else { return nil }
        return "Program crashed: \(words.joined(separator: " "))"
    }

    private static let fatalErrors = ["Fatal error:", "Precondition failed:", "Assertion failed:"]

    /// `Happiness/Vote.swift:42: Fatal error: Index out of range`, with its place if there is one.
    private static func messageOfCrash(_ line: String) -> String? {
        guard let name = fatalErrors.first(where: { line.contains($0) }), let range = line.firstRange(of: name) else {
            return nil
        }
        let sentence = String(message(String(line[range.upperBound...])).prefix(longestFatalError))
        let said = sentence.isEmpty ? String(name.dropLast()) : "\(name) \(sentence)"
        guard let last = line[..<range.lowerBound].split(separator: " ").last else { return said }
        // Otherwise the words before may be a person's.
        guard let place = SourcePosition(String(last)), place.hasPosition else { return nil }
        return "\(place.text): \(said)"
    }

    /// `Caused by: java.io.IOException`
    private static func cause(_ line: String) -> String? {
        let start = "Caused by: "
        guard line.hasPrefix(start) else { return nil }
        let kind = line.dropFirst(start.count).prefix { $0 != ":" && $0 != " " }
        return ErrorFrame.isSymbol(kind) && ErrorWord.withoutIDs(String(kind)) == kind ? start + kind : nil
    }

    /// The platform with the first part of its version only: the only phone with 17.4.1 in a team would identify its
    /// owner.
    static func platform(_ text: String) -> String {
        oneLine(text, limit: longestLine).split(separator: " ").map { word in
            let whole = word.prefix { $0 != "." && $0 != "_" }
            let isVersion = word.allSatisfy { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "_") }
            return isVersion && (1...3).contains(whole.count) ? String(whole) : ErrorWord.scrubbed(String(word))
        }.joined(separator: " ")
    }

    /// Replaces every run of digits by one mark.
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

    /// Removes control characters and double spaces, and truncates to a length that combining marks cannot inflate.
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

    /// In this order: a text quoted with one kind of mark may contain the others.
    private static let quotes: [(open: Character, close: Character)] = [
        ("\"", "\""), ("“", "”"), ("„", "“"), ("«", "»"), ("»", "«"), ("‹", "›"), ("`", "`"), ("‘", "’"), ("'", "'"),
    ]
    /// Engines quote the name of a property after these words: `Cannot read properties of null (reading 'focus')`.
    private static let namingWords: Set<Substring> = ["reading", "(reading", "setting", "(setting", "property"]
    /// Maximum length of such a name in characters.
    private static let longestName = 40

    private static func withoutQuotes(_ text: String) -> String {
        String(quotes.reduce(Array(text)) { hiding($0, from: $1.open, to: $1.close) })
    }

    /// Removes everything from the first quotation mark to the last, because the quoted text may contain such marks
    /// itself. An unclosed quote hides the rest.
    private static func hiding(_ text: [Character], from open: Character, to close: Character) -> [Character] {
        var start = 0
        while let first = text[start...].firstIndex(of: open) {
            // The apostrophe of "can't" does not open a quote.
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
