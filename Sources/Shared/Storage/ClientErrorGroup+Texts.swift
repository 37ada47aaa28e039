/// Lists that a column or field of text holds. Versions and the names of tags have no spaces, and no value has a line break:
/// `ClientErrorReport` sees to both.
extension ClientErrorGroup {
    /// `versions`, one a line.
    var versionLines: String { versions.joined(separator: "\n") }

    /// The reverse of `versionLines`.
    static func versions(_ lines: String) -> [String] {
        lines.split(separator: "\n").map(String.init)
    }

    /// The sample's tags, a name and a value a line, in order of the names.
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
