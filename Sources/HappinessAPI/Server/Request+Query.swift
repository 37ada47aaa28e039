import Domain
import Foundation
import Hummingbird
import Storage

extension Request {
    /// A query value, percent-decoded once. A plus sign is kept, as the first iOS client sends it in addresses.
    func query(_ name: String) -> String? { uri.queryParameters[name[...]].map(String.init) }

    /// A query value that text stands for, such as an id.
    /// - Throws: `AppError.malformed` with the message if it stands for none.
    func query<Value>(_ name: String, otherwise message: Sentence, _ parse: (String) -> Value?) throws -> Value? {
        guard let text = query(name) else { return nil }
        guard let value = parse(text) else { throw AppError(.malformed, message) }
        return value
    }

    /// A query value with a fixed set of choices.
    /// - Throws: `AppError.malformed` listing them.
    func choice<Value: RawRepresentable<String> & CaseIterable>(_ name: String, default standard: Value) throws -> Value
    {
        guard let text = query(name) else { return standard }
        guard let value = Value.allCases.first(where: { $0.rawValue == text }) else {
            let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw AppError(.malformed, "\(name) must be one of: \(names).")
        }
        return value
    }

    /// `true` or `false`; defaults to `false`.
    /// - Throws: `AppError.malformed`.
    func flag(_ name: String) throws -> Bool {
        guard let text = query(name) else { return false }
        guard let flag = Bool(text) else { throw AppError(.malformed, "\(name) must be true or false.") }
        return flag
    }

    /// The `limit` of a list.
    /// - Throws: `AppError.malformed` unless it is a number from 1 to `maximum`.
    func limit(standard: Int, maximum: Int) throws -> Int {
        guard let text = query("limit") else { return standard }
        guard let limit = Int(text), (1...maximum).contains(limit) else {
            throw AppError(.malformed, "limit must be a number from 1 to \(maximum).")
        }
        return limit
    }

    /// Either `year`, or `from` and `to` (both optional); all sprints by default.
    /// - Throws: `AppError.malformed`.
    func sprintFilter() throws -> SprintFilter {
        // Each use of `queryParameters` parses the query again.
        let parameters = uri.queryParameters
        let from = try Self.label(parameters["from"], named: "from")
        let through = try Self.label(parameters["to"], named: "to")
        guard let text = parameters["year"] else {
            guard from != nil || through != nil else { return .all }
            return .range(
                from: from ?? SprintLabel(year: SprintLabel.years.lowerBound, number: 0),
                through: through ?? SprintLabel(year: SprintLabel.years.upperBound, number: 99))
        }
        guard from == nil, through == nil else {
            throw AppError(.malformed, "Please give either year, or from and to.")
        }
        return .year(try Self.year(String(text), named: "year"))
    }

    /// Parses a year.
    /// - Throws: `AppError.malformed`.
    static func year(_ text: String, named name: String) throws -> Int {
        guard text.utf8.count <= 4, text.utf8.allSatisfy({ (48...57).contains($0) }), let year = Int(text),
            SprintLabel.years.contains(year)
        else { throw AppError(.malformed, "\(name) must be a year like 2026.") }
        return year
    }

    private static func label(_ text: Substring?, named name: String) throws -> SprintLabel? {
        guard let text else { return nil }
        guard let label = SprintLabel(String(text)) else {
            throw AppError(.malformed, "\(name) must be a sprint like 2026/3.")
        }
        return label
    }
}
