/// A list of people to invite, as spreadsheets save it: RFC 4180, with or without a byte order mark, separated by
/// commas or, as in countries with a decimal comma, by semicolons.
///
/// The first line names the columns: `email`, and in any order `role`, `team` (its name), `teamRole`, `locale`.
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

    /// Parses a list. A line with an invalid entry is kept with its error.
    /// - Throws: `AppError.malformed` if quotes or header are invalid, `AppError.unprocessable` (`too-many-lines`).
    package init(_ text: String) throws(AppError) {
        let text = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
        let separator: Character = text.prefix { !$0.isNewline }.contains(";") ? ";" : ","
        var records = try CSVRecord.parse(text, separator: separator).filter { !$0.isBlank }
        guard !records.isEmpty else { throw AppError(.malformed, "The list is empty.") }
        let columns = try Self.columns(records.removeFirst())
        guard records.count <= Self.maximumLines else {
            throw AppError(
                .unprocessable, "The list has more than \(Self.maximumLines) lines. Please split it.",
                reason: .tooManyLines)
        }
        lines = records.map { Self.line($0, columns: columns) }
    }

    private enum Column: String, CaseIterable {
        case email
        case role
        case team
        case teamRole = "teamrole"
        case locale
    }

    private static func columns(_ header: CSVRecord) throws(AppError) -> [Column] {
        var columns: [Column] = []
        for name in header.fields {
            guard let column = Column(rawValue: name.lowercased()), !columns.contains(column) else {
                throw unreadableHeader
            }
            columns.append(column)
        }
        guard columns.contains(.email) else { throw unreadableHeader }
        return columns
    }

    private static let unreadableHeader = AppError(
        .malformed, "The first line must name the columns: email and, optionally, role, team, teamRole and locale.")

    private static func line(_ record: CSVRecord, columns: [Column]) -> Line {
        var values: [Column: String] = [:]
        for (column, field) in zip(columns, record.fields) where !field.isEmpty {
            values[column] = field
        }
        let entry = Result { () throws(AppError) in
            guard record.fields.count <= columns.count else {
                throw AppError(.malformed, "The line has more fields than the header.")
            }
            return try Self.entry(values)
        }
        return Line(number: record.number, email: values[.email] ?? "", entry: entry)
    }

    private static func entry(_ values: [Column: String]) throws(AppError) -> Entry {
        let email = values[.email] ?? ""
        // A valid address can begin like a formula, and spreadsheets would run it when they open a report.
        guard let first = email.first, !"=+-@".contains(first) else {
            throw AppError(.malformed, "This isn’t an e-mail address.")
        }
        return Entry(
            email: try EmailAddress(email), role: try choice(values[.role], named: "role") ?? .member,
            team: values[.team], teamRole: try choice(values[.teamRole], named: "teamRole") ?? .member,
            locale: try choice(values[.locale], named: "locale"))
    }

    private static func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ text: String?, named name: String
    ) throws(AppError) -> Value? {
        guard let text else { return nil }
        guard let value = Value.allCases.first(where: { $0.rawValue == text.lowercased() }) else {
            let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw AppError(.malformed, "\(name) must be one of: \(names).")
        }
        return value
    }
}
