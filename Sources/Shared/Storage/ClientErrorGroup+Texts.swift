import Domain

/// Lists stored in a single text column or field. Versions and tag names contain no spaces, and no value contains a
/// line break: `ClientErrorReport` ensures both.
extension ClientErrorGroup {
    /// `versions`, one per line.
    var versionLines: String { versions.joined(separator: "\n") }

    /// The reverse of `versionLines`.
    static func versions(_ lines: String) -> [String] {
        lines.split(separator: "\n").map(String.init)
    }

    /// The sample's tags, one name and value per line, ordered by name.
    var tagLines: String {
        sample.tags.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: "\n")
    }

    /// The reverse of `tagLines`.
    static func tags(_ lines: String) -> [String: String] {
        let pairs = lines.split(separator: "\n").map { line in
            let name = line.prefix { $0 != " " }
            return (String(name), String(line.dropFirst(name.count + 1)))
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}
