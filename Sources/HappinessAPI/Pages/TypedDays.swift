import Domain

/// Two date fields as typed.
struct TypedDays: Decodable, Sendable {
    var first = ""
    var last: String?

    /// From the first day through the last one, which must not be earlier; just the first one if `last` is empty.
    /// - Throws: `FormProblem` quoting the invalid date, or both days.
    func range(_ visit: PageVisit) throws -> ClosedRange<CalendarDay> {
        let first = try Self.day(first, at: "first", visit.words)
        let last = try last.flatMap { $0.isEmpty ? nil : try Self.day($0, at: "last", visit.words) } ?? first
        guard first <= last else {
            let language = visit.frame.language
            throw FormProblem(
                visit.words.text(
                    "absences.backwards", ["first": first.text(in: language), "last": last.text(in: language)]),
                at: "last")
        }
        return first...last
    }

    /// The same with both days required.
    /// - Throws: `FormProblem` also for an empty field.
    func completeRange(_ visit: PageVisit) throws -> ClosedRange<CalendarDay> {
        for (value, field) in [(first, "first"), (last ?? "", "last")] where value.isEmpty {
            throw FormProblem(
                visit.words.text("absences.missing", ["field": visit.words.text("absences.\(field)")]), at: field)
        }
        return try range(visit)
    }

    /// Characters of the input to quote in a message: more than any date has.
    private static let repeatedLength = 40

    private static func day(_ text: String, at field: String, _ words: LocalizedTexts) throws -> CalendarDay {
        guard let day = CalendarDay(text) else {
            throw FormProblem(
                words.text("absences.notADate", ["entry": String(text.prefix(repeatedLength))]), at: field)
        }
        return day
    }
}

extension Set<CalendarDay> {
    /// The days in order, with successive ones in one range.
    var ranges: [ClosedRange<CalendarDay>] {
        sorted().reduce(into: []) { ranges, day in
            if let last = ranges.last, last.upperBound.adding(days: 1) == day {
                ranges[ranges.count - 1] = last.lowerBound...day
            } else {
                ranges.append(day...day)
            }
        }
    }
}

extension ClosedRange<CalendarDay> {
    /// Formatted for people: one day, or both with a dash between them.
    func text(in language: PageLanguage) -> String {
        let first = lowerBound.text(in: language)
        return lowerBound == upperBound ? first : "\(first) – \(upperBound.text(in: language))"
    }
}
