/// A list of people as a table: what Slack, Google, Microsoft, address books and spreadsheets export, with or without
/// a line of names.
struct PeopleTable {
    /// The names of the columns as in the file; empty if the table has no line of names.
    let names: [String]
    /// The line of the names, starting at 1.
    let headerLine: Int
    /// A record for each person.
    let rows: [CSVRecord]
    /// Columns with addresses, the best first.
    private let addressColumns: [Int]
    /// Columns that say whether an account is still used.
    private let stateColumns: [Int]

    /// Columns of a kind that are read. All of them are read for each person, so a file with thousands must not have
    /// the server multiply them.
    private static let mostColumns = 10

    /// Finds the column with the addresses by its name or, if it is the only one with addresses, by its content.
    /// - Returns: `nil` if the text is not a table of people.
    /// - Throws: `PeopleListProblem.misplacedQuote` if the first line names the columns.
    init?(_ text: String) throws(PeopleListProblem) {
        let records: [CSVRecord]
        do {
            records = try CSVRecord.parse(text)
        } catch {
            // Outside of a table, names may have quotation marks: `"Müller, Anna" <anna@example.org>`.
            let first = text.prefix { !$0.isNewline }.split { ",;\t".contains($0) }
            guard first.contains(where: { Self.addressNames.contains(Self.word(String($0))) }) else { return nil }
            throw PeopleListProblem(.misplacedQuote, line: error.line)
        }
        let firstAddress = records.firstIndex { $0.fields.contains { $0.contains("@") } } ?? records.endIndex
        // A title may come first, even one with an address: "Members for group all@example.org".
        if let header = records.prefix(5).firstIndex(where: { !Self.addressColumns(of: $0).isEmpty }) {
            names = records[header].fields
            headerLine = records[header].number
            rows = Array(records[(header + 1)...])
            addressColumns = Self.addressColumns(of: records[header])
        } else if let column = Self.onlyColumnWithAddresses(in: records[firstAddress...]),
            firstAddress > 0 || records.count > 1
        {
            // The first line names the columns in words that are not known here, or a person without address: then
            // it is shown as a line that cannot be read.
            let hasNames = firstAddress > 0 && records[0].fields.count == records[firstAddress].fields.count
            names = hasNames ? records[0].fields : []
            headerLine = records[0].number
            rows = Array(records[(hasNames ? 1 : 0)...])
            addressColumns = [column]
        } else {
            return nil
        }
        stateColumns = Self.stateColumns(of: names)
    }

    /// Names of columns with addresses, as `word` returns them, the best first. A person may have an address in
    /// several, and Entra's user principal name is often no mailbox.
    private static let addressNames = [
        "email",  // Slack: email. Many others: E-Mail
        "emailaddress",  // Google: Email Address [Required]. Outlook: E-mail Address. Google Groups: Email address
        "emailadresse",  // Outlook in German: E-Mail-Adresse
        "mail",  // Entra
        "mailadresse",
        "memberemail",  // Members of a Google group: Member Email
        "primaryemail",  // Thunderbird: Primary Email
        "email1value",  // Google Contacts: E-mail 1 - Value
        "userprincipalname",  // Entra: userPrincipalName; its groups and Microsoft 365: User principal name
        "benutzerprinzipalname",
    ]

    /// Names of columns that say whether an account is still used: Slack has `status`, Google `Status [READ ONLY]`,
    /// Entra `accountEnabled`.
    private static let stateNames: Set<String> = ["status", "accountstatus", "accountenabled"]
    /// What they say of an account that is not.
    private static let disabledStates: Set<String> = [
        "deactivated", "suspended", "archived", "disabled", "deleted", "inactive", "false", "deaktiviert", "gesperrt",
        "inaktiv", "falsch",
    ]

    /// The letters and digits of a column's name in lower case, without what Google adds in brackets: `[Required]`.
    static func word(_ name: String) -> String {
        name.prefix { $0 != "[" }.lowercased().filter { $0.isLetter || $0.isNumber }
    }

    private static func addressColumns(of header: CSVRecord) -> [Int] {
        let words = header.fields.map { word($0) }
        return Array(addressNames.flatMap { name in words.indices.filter { words[$0] == name } }.prefix(mostColumns))
    }

    private static func stateColumns(of names: [String]) -> [Int] {
        Array(names.indices.filter { stateNames.contains(word(names[$0])) }.prefix(mostColumns))
    }

    /// The column in which all addresses are; `nil` if the records are not lines of one table with several columns.
    private static func onlyColumnWithAddresses(in records: ArraySlice<CSVRecord>) -> Int? {
        let columns = Set(
            records.flatMap { record in record.fields.indices.filter { record.fields[$0].contains("@") } })
        let widths = Set(records.map(\.fields.count))
        guard columns.count == 1, widths.count == 1, let width = widths.first, width > 1 else { return nil }
        return columns.first
    }

    /// The address of a person as written, without the name in front of it; empty if there is none.
    func address(of row: CSVRecord) -> String {
        // A guest's user principal name is made of an address and is none: anna_example.org#EXT#@….
        let cells = addressColumns.map { Self.field($0, of: row) }.filter { !$0.isEmpty && !$0.contains("#EXT#") }
        return AddressList.bare(cells.first { $0.contains("@") } ?? cells.first ?? "")
    }

    /// A field; empty if the record has too few.
    static func field(_ column: Int, of row: CSVRecord) -> String {
        row.fields.indices.contains(column) ? row.fields[column] : ""
    }

    /// The column by which the list says that an account is no longer used; `nil` if it does not say so.
    func disabledColumn(of row: CSVRecord) -> Int? {
        stateColumns.first { Self.disabledStates.contains(Self.field($0, of: row).lowercased()) }
    }

    /// The first column beyond those that have names; `nil` if there is nothing.
    func extraColumn(of row: CSVRecord) -> Int? {
        names.isEmpty ? nil : row.fields.indices.dropFirst(names.count).first { !row.fields[$0].isEmpty }
    }

    /// The column of the address, for messages.
    var addressName: String { name(of: addressColumns.first ?? 0) }

    /// The name of a column for messages, without what would fill a screen or is invisible. Without a name it is the
    /// number, starting at 1.
    func name(of column: Int) -> String {
        let name = names.indices.contains(column) ? names[column] : ""
        let scalars = name.unicodeScalars.prefix(40).filter { !$0.properties.isControlOrInvisible }
        let shown = String(String.UnicodeScalarView(scalars))
        return shown.isEmpty ? String(column + 1) : shown
    }

    /// The names of columns that are neither among these nor used here.
    func unusedNames(except used: some Collection<Int>) -> [String] {
        names.indices
            .filter { column in
                !names[column].isEmpty && !used.contains(column) && !addressColumns.contains(column)
                    && !stateColumns.contains(column)
            }
            .map { name(of: $0) }
    }
}

/// Why a list of people cannot be read as a whole.
package struct PeopleListProblem: Error, Equatable {
    /// What is wrong.
    package enum Kind: Sendable {
        /// There is nothing in it.
        case empty
        /// No line has an address, and no column the name of one with addresses.
        case noAddresses
        /// A quotation mark is not closed, or not allowed where it is.
        case misplacedQuote
        /// Two columns have one name.
        case columnTwice
        /// A column is named similar to one that decides on rights.
        case unknownColumn
        /// There are more lines than `InvitationCSV.maximumLines`.
        case tooManyLines
    }

    package let kind: Kind
    /// Line number in the file, starting at 1.
    package let line: Int
    /// The name of the column; empty if the problem is not in one.
    package let column: String

    init(_ kind: Kind, line: Int = 1, column: String = "") {
        self.kind = kind
        self.line = line
        self.column = column
    }

    /// The same as an error: `malformed` or, for too many lines, `unprocessable`.
    package var error: AppError {
        switch kind {
        case .empty: AppError(.malformed, "The list is empty.")
        case .noAddresses:
            AppError(
                .malformed,
                "The first line must name the columns: email and, optionally, role, team, teamRole and locale.")
        case .misplacedQuote: CSVRecord.MisplacedQuote(line: line).error
        case .columnTwice: AppError(.malformed, "Line \(line) names the column “\(column)” twice.")
        case .unknownColumn:
            AppError(
                .malformed,
                "Line \(line): the column “\(column)” isn’t known. Please name it role, team, teamRole or locale, or "
                    + "remove it.")
        case .tooManyLines:
            AppError(
                .unprocessable, "The list has more than \(InvitationCSV.maximumLines) lines. Please split it.",
                reason: .tooManyLines)
        }
    }
}
