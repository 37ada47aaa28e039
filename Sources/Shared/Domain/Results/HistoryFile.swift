import Foundation

/// Results of a team's sprints that another tool counted, as CSV or JSON.
///
/// CSV as spreadsheets save it (RFC 4180; commas, semicolons or tabs; decimal points or commas). Its first line names the
/// columns `start`, `end`, `happiness`, `votes`, `eligible` and, optionally, `sprint`; others are ignored, so the history
/// that this product exports can be read again, except the line of a running sprint. JSON (RFC 8259) is an array of
/// objects with these names. Days are read as `WrittenDay`.
package struct HistoryFile: Sendable {
    /// Maximum number of results in a file: ten years of weeks.
    package static let maximumResults = 520

    /// In the order of the file.
    package let results: [ImportedResult]

    /// Parses a file: JSON if it begins with a bracket, otherwise CSV.
    /// - Parameter scale: of the values in the file.
    /// - Throws: `AppError`: `malformed` or `unprocessable`, naming the line or, in JSON, the entry.
    package init(_ text: String, scale: HappinessScale = .full) throws(AppError) {
        let text = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
        let isJSON = text.first { !$0.isWhitespace }.map("[{".contains) ?? false
        let entries = try isJSON ? Self.entries(ofJSON: text) : Self.entries(ofCSV: text)
        guard !entries.isEmpty else { throw AppError(.malformed, "The file contains no results.") }
        guard entries.count <= Self.maximumResults else {
            throw AppError(.unprocessable, "The file contains more than \(Self.maximumResults) results.")
        }
        let order = try Self.order(of: entries)
        var results: [ImportedResult] = []
        for entry in entries { results.append(try ImportedResult(entry, scale: scale, order: order)) }
        self.results = results
    }

    /// Whether the day or the month comes first in days such as `1/6/2025`. All of a file have one order: the one in
    /// which they exist and no result ends before it begins.
    /// - Throws: `AppError.unprocessable` if both are possible or mixed, naming line and column.
    private static func order(of entries: [Entry]) throws(AppError) -> WrittenDay.Order {
        var days: [(place: String, text: String, day: WrittenDay)] = []
        for entry in entries {
            for field in [Field.start, .end] {
                guard let text = entry.fields[field], let day = WrittenDay(text) else { continue }
                days.append(("\(entry.place): \(field.rawValue)", text, day))
            }
        }
        let dayFirst = days.first { $0.day.monthFirst == nil }
        let monthFirst = days.first { $0.day.dayFirst == nil }
        if let dayFirst, let monthFirst {
            throw AppError(
                .unprocessable,
                "\(dayFirst.place) \(dayFirst.text.quoted) has the day first, and \(monthFirst.place) "
                    + "\(monthFirst.text.quoted) the month. Please write days such as 2026-01-05.")
        }
        if dayFirst != nil { return .dayFirst }
        if monthFirst != nil { return .monthFirst }
        let doubtful = days.first { $0.day.dayFirst != $0.day.monthFirst }
        let possible = WrittenDay.Order.allCases.filter { order in entries.allSatisfy { $0.isInOrder(order) } }
        guard let doubtful, possible.count > 1 else { return possible.first ?? .dayFirst }
        throw AppError(
            .unprocessable,
            "\(doubtful.place) \(doubtful.text.quoted) may have the day or the month first. Please write days such as "
                + "2026-01-05.")
    }

    /// The fields of one result as text.
    fileprivate struct Entry {
        /// `Line 7`, `Entry 7`.
        let place: String
        let fields: [Field: String]

        /// Whether the result ends when it begins or later, and does not last too long; also without such days.
        func isInOrder(_ order: WrittenDay.Order) -> Bool {
            guard let start = fields[.start].flatMap({ WrittenDay($0) })?.day(order),
                let end = fields[.end].flatMap({ WrittenDay($0) })?.day(order)
            else { return true }
            return start <= end && start.days(until: end) < ImportedResult.longest
        }

        func required(_ field: Field) throws(AppError) -> String {
            guard let text = fields[field] else {
                throw AppError(.malformed, "\(place) has no \(field.rawValue).")
            }
            return text
        }
    }

    fileprivate enum Field: String, CaseIterable {
        case sprint
        case start
        case end
        case happiness
        case votes
        case eligible
    }

    private static func entries(ofCSV text: String) throws(AppError) -> [Entry] {
        var records: [CSVRecord]
        do {
            records = try CSVRecord.parse(text)
        } catch {
            throw error.error
        }
        guard !records.isEmpty else { return [] }
        let columns = records.removeFirst().fields.map { Field(rawValue: $0.lowercased()) }
        let named = columns.compactMap(\.self)
        guard Set(named).count == named.count, Set(named).isSuperset(of: Field.allCases.filter { $0 != .sprint }) else {
            throw AppError(
                .malformed,
                "The first line must name the columns, each once: start, end, happiness, votes, eligible and, "
                    + "optionally, sprint.")
        }
        // If this were read, 7,5 without quotation marks would be 7, and 5 votes.
        if let record = records.first(where: { $0.fields.count > columns.count }) {
            throw AppError(
                .malformed,
                "Line \(record.number) has more than \(columns.count) fields. Numbers such as 7,5 need quotation marks, or "
                    + "semicolons between the fields.")
        }
        return records.map { record in
            let pairs = zip(columns, record.fields).compactMap { column, text in
                column.flatMap { text.isEmpty ? nil : ($0, text) }
            }
            return Entry(place: "Line \(record.number)", fields: Dictionary(uniqueKeysWithValues: pairs))
        }
    }

    /// One object of a JSON file. Numbers are read as decimals, since 7.1 must not become 7.0999….
    private struct Document: Decodable {
        let sprint: String?
        let start: String?
        let end: String?
        let happiness: Decimal?
        let votes: Int?
        let eligible: Int?

        var fields: [Field: String] {
            [
                .sprint: sprint == "" ? nil : sprint, .start: start, .end: end, .happiness: happiness?.description,
                .votes: votes?.description, .eligible: eligible?.description,
            ]
            .compactMapValues(\.self)
        }
    }

    private static func entries(ofJSON text: String) throws(AppError) -> [Entry] {
        do {
            let documents = try JSONDecoder().decode([Document].self, from: Data(text.utf8))
            return documents.enumerated().map { Entry(place: "Entry \($0 + 1)", fields: $1.fields) }
        } catch {
            throw AppError(
                .malformed,
                "The file must be a JSON array, such as the results of one team in an export: objects with start and "
                    + "end as text, and happiness, votes and eligible as numbers.")
        }
    }
}

/// The result of one sprint that another tool counted.
package struct ImportedResult: Hashable, Sendable {
    /// Where in the file it is, for messages: `Line 7`.
    package let place: String
    /// The name in the file; `nil` means the one that the team's calendar gives.
    package let label: SprintLabel?
    /// First and last day.
    package let days: ClosedRange<CalendarDay>
    /// Number of votes.
    package let votes: Int
    /// Sum of the votes in tenths, 0...100 each: the mean of the file times `votes`, rounded.
    package let sumInTenths: Int
    /// Number of people who could have voted; at least `votes`.
    package let eligible: Int

    /// Larger numbers are typing errors.
    private static let people = 1...1_000_000
    /// Years in which a result may begin; earlier ones are typing errors.
    private static let years = 2000...9000
    /// Days that a result may cover.
    fileprivate static let longest = 366

    fileprivate init(
        _ entry: HistoryFile.Entry, scale: HappinessScale, order: WrittenDay.Order
    ) throws(AppError) {
        place = entry.place
        label = try entry.fields[.sprint].map { text throws(AppError) in
            let prefix = HistoryCSV.labelPrefix
            let name = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
            guard let label = SprintLabel(name) else {
                throw AppError(
                    .malformed, "\(entry.place): sprint: \(text.quoted) isn’t a sprint’s name such as 2026/3.")
            }
            return label
        }
        let start = try Self.day(.start, of: entry, order: order)
        let end = try Self.day(.end, of: entry, order: order)
        guard start <= end else { throw AppError(.unprocessable, "\(entry.place) ends before it begins.") }
        guard Self.years.contains(start.year), start.days(until: end) < Self.longest else {
            throw AppError(
                .unprocessable,
                "\(entry.place) must begin in the year \(Self.years.lowerBound) or later and last at most "
                    + "\(Self.longest) days.")
        }
        // Comparisons with the year before, and the choice of a year, go by the name.
        if let label, label.number == 0 || abs(label.year - start.year) > 1 {
            throw AppError(.unprocessable, "\(entry.place): the name \(label) doesn’t fit the day \(start).")
        }
        days = start...end
        votes = try Self.number(.votes, of: entry)
        eligible = try Self.number(.eligible, of: entry)
        guard votes <= eligible else {
            throw AppError(.unprocessable, "\(entry.place) has more votes than people who could have voted.")
        }
        let text = try entry.required(.happiness)
        guard let value = Double(text.replacing(",", with: ".")), let happiness = scale.happiness(value) else {
            throw AppError(
                .unprocessable, "\(entry.place): happiness must be a number \(scale.words), but is \(text.quoted).")
        }
        sumInTenths = Int((happiness * 10 * Double(votes)).rounded())
    }

    private static func day(
        _ field: HistoryFile.Field, of entry: HistoryFile.Entry, order: WrittenDay.Order
    ) throws(AppError) -> CalendarDay {
        let text = try entry.required(field)
        guard let day = WrittenDay(text)?.day(order) else {
            throw AppError(
                .malformed, "\(entry.place): \(field.rawValue) must be a day such as 2026-01-05, but is \(text.quoted)."
            )
        }
        return day
    }

    private static func number(_ field: HistoryFile.Field, of entry: HistoryFile.Entry) throws(AppError) -> Int {
        let text = try entry.required(field)
        guard let number = Int(text), people.contains(number) else {
            throw AppError(
                .malformed,
                "\(entry.place): \(field.rawValue) must be a whole number from 1 to 1000000, but is \(text.quoted).")
        }
        return number
    }
}

extension String {
    /// In quotation marks and without what would fill a screen or control a terminal.
    fileprivate var quoted: String {
        let shown = unicodeScalars.prefix(40).filter { scalar in
            ![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        }
        return "“\(String(String.UnicodeScalarView(shown)))”"
    }
}
