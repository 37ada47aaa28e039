/// A list of people to invite, as other tools export it: a table with commas, semicolons or tabs (RFC 4180), with or
/// without names of its columns, or a list as in the recipients of a mail.
///
/// A table's columns may be `email` (or what other tools call it), and in any order `role`, `team` (its name),
/// `teamRole`, `locale`. Others are ignored and named.
package struct InvitationCSV: Sendable {
    /// Maximum number of lines after the header. At some milliseconds each, more would outlast a client's time-out.
    package static let maximumLines = 1_000

    /// One line of the list.
    package struct Line: Sendable {
        /// Line number in the file, starting at 1, where the entry begins.
        package let number: Int
        /// The address as written in the file.
        package let email: String
        /// The parsed entry, or why it is invalid.
        package let entry: Result<Entry, AppError>
        /// The column, or its number, with what is invalid; `nil` if there are no columns, or the entry is valid.
        package let column: String?
    }

    /// The invitation that one line asks for.
    package struct Entry: Sendable {
        package let email: EmailAddress
        package let role: User.Role
        package let team: String?
        package let teamRole: Membership.Role
        package let locale: MailLocale?
    }

    package let lines: [Line]
    /// The names of the columns that say nothing about an invitation.
    package let ignoredColumns: [String]

    /// Parses a list. A line with an invalid entry is kept with its error.
    /// - Throws: `AppError.malformed` if quotes or header are invalid, or nobody has an address;
    ///   `AppError.unprocessable` (`too-many-lines`).
    package init(_ text: String) throws(AppError) {
        switch Self.read(text) {
        case .success(let list): self = list
        case .failure(let problem): throw problem.error
        }
    }

    /// Parses a list like `init`, but says more about a list that cannot be read.
    package static func read(_ text: String) -> Result<InvitationCSV, PeopleListProblem> {
        Result { () throws(PeopleListProblem) in try InvitationCSV(reading: text) }
    }

    private init(reading text: String) throws(PeopleListProblem) {
        let text = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
        if let table = try PeopleTable(text) {
            let columns = try Self.columns(of: table)
            guard table.rows.count <= Self.maximumLines else { throw PeopleListProblem(.tooManyLines) }
            ignoredColumns = table.unusedNames(except: columns.values)
            lines = table.rows.map { Self.line($0, of: table, columns: columns) }
        } else {
            let people = AddressList.mailboxes(in: text)
            guard !people.isEmpty else { throw PeopleListProblem(.empty) }
            guard people.contains(where: { $0.text.contains("@") }) else { throw PeopleListProblem(.noAddresses) }
            ignoredColumns = []
            lines = people.map { Self.line($0) }
        }
        guard lines.count <= Self.maximumLines else { throw PeopleListProblem(.tooManyLines) }
    }

    private enum Column: String, CaseIterable {
        case email
        case role
        case team
        case teamRole = "teamrole"
        case locale
    }

    /// The columns besides the address. A name that is nearly one of these is refused: if it were ignored, people would
    /// get another role, or no team.
    private static func columns(of table: PeopleTable) throws(PeopleListProblem) -> [Column: Int] {
        var columns: [Column: Int] = [:]
        for index in table.names.indices {
            let word = PeopleTable.word(table.names[index])
            let name = table.name(of: index)
            if let column = Column(rawValue: word) {
                guard columns.updateValue(index, forKey: column) == nil else {
                    throw PeopleListProblem(.columnTwice, line: table.headerLine, column: name)
                }
            } else if Column.allCases.contains(where: { $0 != .email && word.hasPrefix($0.rawValue) }) {
                throw PeopleListProblem(.unknownColumn, line: table.headerLine, column: name)
            }
        }
        return columns
    }

    /// A line that is not part of a table.
    private static func line(_ person: AddressList.Entry) -> Line {
        Line(
            number: person.line, email: person.text,
            entry: Result { () throws(AppError) in
                Entry(email: try address(person.text), role: .member, team: nil, teamRole: .member, locale: nil)
            }, column: nil)
    }

    private static func line(_ record: CSVRecord, of table: PeopleTable, columns: [Column: Int]) -> Line {
        let email = table.address(of: record)
        do {
            let entry = try Self.entry(record, of: table, columns: columns)
            return Line(number: record.number, email: email, entry: .success(entry), column: nil)
        } catch {
            return Line(number: record.number, email: email, entry: .failure(error.error), column: error.column)
        }
    }

    /// Why a line is invalid, and in which column.
    private struct Refusal: Error {
        let error: AppError
        let column: String
    }

    private static func entry(
        _ record: CSVRecord, of table: PeopleTable, columns: [Column: Int]
    ) throws(Refusal) -> Entry {
        if let extra = table.extraColumn(of: record) {
            throw Refusal(
                error: AppError(.malformed, "The line has more fields than the header."), column: table.name(of: extra))
        }
        if let disabled = table.disabledColumn(of: record) {
            throw Refusal(
                error: AppError(
                    .unprocessable, "The list says that this account is disabled.", reason: .accountDisabled),
                column: table.name(of: disabled))
        }
        let email: EmailAddress
        do {
            email = try address(table.address(of: record))
        } catch {
            let sentence = Sentence("Column “\(table.addressName)”: \(part: error.sentence)")
            throw Refusal(error: AppError(error.code, sentence, reason: error.reason), column: table.addressName)
        }
        let team = columns[.team].map { PeopleTable.field($0, of: record) } ?? ""
        return Entry(
            email: email, role: try choice(columns[.role], named: "role", of: record, in: table) ?? .member,
            team: team.isEmpty ? nil : team,
            teamRole: try choice(columns[.teamRole], named: "teamRole", of: record, in: table) ?? .member,
            locale: try choice(columns[.locale], named: "locale", of: record, in: table))
    }

    private static func address(_ text: String) throws(AppError) -> EmailAddress {
        // A valid address can begin like a formula, and spreadsheets would run it when they open a report.
        guard let first = text.first, !"=+-@".contains(first) else {
            throw AppError(.malformed, "This isn’t an e-mail address.")
        }
        return try EmailAddress(text)
    }

    /// `nil` if the list has no such column, or nothing in it.
    private static func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ column: Int?, named name: String, of record: CSVRecord, in table: PeopleTable
    ) throws(Refusal) -> Value? {
        guard let column else { return nil }
        let text = PeopleTable.field(column, of: record)
        guard !text.isEmpty else { return nil }
        guard let value = Value.allCases.first(where: { $0.rawValue == text.lowercased() }) else {
            let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw Refusal(
                error: AppError(.malformed, "\(name) must be one of: \(names)."), column: table.name(of: column))
        }
        return value
    }
}
