import Foundation

/// One record of a CSV file (RFC 4180 §2): quoted fields may contain separators, line breaks and doubled quotes.
struct CSVRecord: Equatable {
    /// Line number in the file, starting at 1, where it begins.
    let number: Int
    /// The fields, trimmed.
    let fields: [String]

    /// Whether all fields are empty.
    var isBlank: Bool { fields.allSatisfy(\.isEmpty) }

    /// Parses a file whose lines end with CRLF, LF or CR.
    /// - Throws: `AppError.malformed` naming the line with an unclosed or misplaced quote.
    static func parse(_ text: String, separator: Character) throws(AppError) -> [CSVRecord] {
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
        mutating func read(_ character: Character) throws(AppError) {
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
                    throw Self.misplacedQuote(in: line)
                } else if state != .afterQuote {
                    field.append(character)
                    state = .plain
                }
            }
        }

        package mutating func finish() throws(AppError) -> [CSVRecord] {
            guard state != .quoted else { throw Self.misplacedQuote(in: firstLine) }
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

        private static func misplacedQuote(in line: Int) -> AppError {
            AppError(.malformed, "Line \(line) has a quotation mark that isn’t closed or isn’t allowed there.")
        }
    }
}
