import Foundation

/// One record of a CSV file (RFC 4180 §2): quoted fields may contain separators, line breaks and doubled quotes.
struct CSVRecord: Equatable {
    /// Line number in the file, starting at 1, where it begins.
    let number: Int
    /// The fields, trimmed.
    let fields: [String]

    /// Whether all fields are empty.
    var isBlank: Bool { fields.allSatisfy(\.isEmpty) }

    /// A quotation mark that is not closed, or that is not allowed where it is.
    struct MisplacedQuote: Error {
        /// Line number in the file, starting at 1.
        let line: Int

        /// The same for users.
        var error: AppError {
            AppError(.malformed, "Line \(line) has a quotation mark that isn’t closed or isn’t allowed there.")
        }
    }

    /// What separates fields. Spreadsheets write semicolons where the comma is the decimal sign, and tabs when cells
    /// are copied or saved as "Unicode Text".
    private static let separators: [Character] = ["\t", ";", ","]

    /// Parses a file as spreadsheets save it, whatever separates its fields; lines end with CRLF, LF or CR. Blank
    /// records are left out. A first line such as `sep=;`, with which some programs tell Excel the separator, is not a
    /// record.
    static func parse(_ text: String) throws(MisplacedQuote) -> [CSVRecord] {
        let first = text.prefix { !$0.isNewline }
        let named = first.lowercased().hasPrefix("sep=") && first.count == 5 ? first.last : nil
        let records = try parse(text, separator: named ?? separator(of: text))
        return records.dropFirst(named == nil ? 0 : 1).filter { !$0.isBlank }
    }

    /// The separator that is most frequent in the first line that has one.
    private static func separator(of text: String) -> Character {
        var counts: [Character: Int] = [:]
        var isQuoted = false
        for character in text {
            if character == "\"" { isQuoted.toggle() }
            if isQuoted { continue }
            if character.isNewline, !counts.isEmpty { break }
            if separators.contains(character) { counts[character, default: 0] += 1 }
        }
        return separators.max { counts[$0, default: 0] < counts[$1, default: 0] } ?? ","
    }

    /// Parses a file whose lines end with CRLF, LF or CR.
    private static func parse(_ text: String, separator: Character) throws(MisplacedQuote) -> [CSVRecord] {
        var reader = Reader(separator: separator)
        for character in text {
            try reader.read(character)
        }
        return try reader.finish()
    }

    private struct Reader {
        private enum State {
            case start
            case plain
            case quoted
            case afterQuote
        }

        package let separator: Character
        private var state = State.start
        private var field = ""
        private var fields: [String] = []
        private var records: [CSVRecord] = []
        private var line = 1
        private var firstLine = 1

        init(separator: Character) {
            self.separator = separator
        }

        /// CRLF is one character in Swift.
        mutating func read(_ character: Character) throws(MisplacedQuote) {
            if character.isNewline { line += 1 }
            switch state {
            case .quoted:
                if character == "\"" { state = .afterQuote } else { field.append(character) }
            case .afterQuote where character == "\"":
                field.append(character)
                state = .quoted
            case .start where character == "\"":
                state = .quoted
            case .start, .plain, .afterQuote:
                if character == separator {
                    endField()
                } else if character.isNewline {
                    endRecord()
                } else if character == "\"" || (state == .afterQuote && !character.isWhitespace) {
                    throw MisplacedQuote(line: line)
                } else if state != .afterQuote {
                    field.append(character)
                    state = .plain
                }
            }
        }

        package mutating func finish() throws(MisplacedQuote) -> [CSVRecord] {
            guard state != .quoted else { throw MisplacedQuote(line: firstLine) }
            endRecord()
            return records
        }

        private mutating func endField() {
            fields.append(field.trimmingCharacters(in: .whitespacesAndNewlines))
            field = ""
            state = .start
        }

        private mutating func endRecord() {
            endField()
            records.append(CSVRecord(number: firstLine, fields: fields))
            fields = []
            firstLine = line
        }
    }
}
