/// Addresses of people as one pastes them: a table that was exported or copied from a spreadsheet, the recipients of a
/// mail (`"Müller, Anna" <anna@example.org>; …`), or addresses with anything between them.
package struct AddressList: Sendable {
    /// One person.
    package struct Entry: Hashable, Sendable {
        /// Line number in the text, starting at 1.
        package let line: Int
        /// The address without the name, or what is in the place of one. Not validated.
        package let text: String
        /// Whether the list says that the account is no longer used.
        package let isDisabled: Bool
    }

    /// In their order, with repetitions.
    package let entries: [Entry]

    /// Reads a table or a list.
    package init(_ text: String) {
        do {
            guard let table = try PeopleTable(text) else {
                entries = Self.mailboxes(in: text)
                return
            }
            entries = table.rows.map { row in
                let address = table.address(of: row)
                return Entry(
                    line: row.number,
                    text: address.isEmpty ? row.fields.filter { !$0.isEmpty }.joined(separator: " ") : address,
                    isDisabled: table.disabledColumn(of: row) != nil)
            }
        } catch {
            // A misplaced quotation mark: the line with it is shown with what could not be read.
            entries = Self.mailboxes(in: text)
        }
    }

    /// Reads each line on its own, as it is not a table.
    static func mailboxes(in text: String) -> [Entry] {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return zip(1..., lines).flatMap { number, line in
            pieces(of: line).map { Entry(line: number, text: $0, isDisabled: false) }
        }
    }

    /// An address without the name in front of its brackets, and without `mailto:`.
    static func bare(_ text: String) -> String {
        var text = text[...]
        if let close = text.lastIndex(of: ">"), let open = text[..<close].lastIndex(of: "<") {
            text = text[text.index(after: open)..<close]
        }
        let start = text.drop { isAround($0) }
        guard let end = start.lastIndex(where: { !isAround($0) }) else { return "" }
        let address = start[...end]
        let isLink = address.lowercased().hasPrefix("mailto:")
        return String(isLink ? address.dropFirst("mailto:".count) : address)
    }

    /// Whether a character in front of an address or behind it does not belong to it.
    private static func isAround(_ character: Character) -> Bool {
        character.isWhitespace || "<>\"',;".contains(character)
    }

    private static func pieces(of line: Substring) -> [String] {
        var found: [String] = []
        var rest = line
        while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
            found += addresses(beforeName: rest[..<open])
            found.append(bare(String(rest[open...close])))
            rest = rest[rest.index(after: close)...]
        }
        let words = rest.split { $0.isWhitespace || $0 == "," || $0 == ";" }
            .map { bare(String($0)) }
        // In a line of cells, those without an address are names and the like.
        let isCells = rest.contains("\t") && words.contains { $0.contains("@") }
        return (found + (isCells ? words.filter { $0.contains("@") } : words)).filter { !$0.isEmpty }
    }

    /// The addresses in front of a name and its brackets. The name itself may be an address, even of someone else,
    /// and may contain commas: then its parts are not addresses.
    private static func addresses(beforeName text: Substring) -> [String] {
        var parts = [""]
        var isQuoted = false
        for character in text {
            if character == "\"" { isQuoted.toggle() }
            if !isQuoted, character == "," || character == ";" {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts.dropLast()
            .flatMap { $0.split(whereSeparator: \.isWhitespace) }
            .map { bare(String($0)) }
            .filter { $0.contains("@") }
    }
}
