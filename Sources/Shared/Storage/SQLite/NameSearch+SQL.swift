import Domain

extension NameSearch {
    /// Whether a column with a search text has all words. Searches of as many words have the same condition, because
    /// statements are kept.
    func condition(on column: String) -> String {
        words.indices
            .map { "(instr(\(column), :plain\($0)) > 0 OR instr(\(column), :spelledOut\($0)) > 0)" }
            .joined(separator: " AND ")
    }

    /// The values of the condition.
    var arguments: SQLiteArguments {
        var arguments: SQLiteArguments = [:]
        for (place, word) in words.enumerated() {
            arguments += ["plain\(place)": word.plain, "spelledOut\(place)": word.spelledOut]
        }
        return arguments
    }
}
