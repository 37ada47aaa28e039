/// The address of a server in a setting: scheme, host and port, and perhaps a path.
///
/// Only what requests can use is valid. A path that a service does not expect leads to answers like "unknown domain",
/// days after the setting was made.
package struct BaseURL {
    /// The path that a setting takes.
    package enum PathRule {
        /// None: requests have a path of their own.
        case empty
        /// Any, but none of these at its end: requests add them.
        case any(except: [String])
        /// Segments of letters, digits, `.`, `_`, `~` and `-` that do not begin with a dot, so that a path has one form
        /// only.
        case plain
    }

    /// What is wrong with a text.
    struct Fault: Error, Equatable {
        /// The end of "must be …". It does not repeat the text, which may contain a password.
        let expectation: String
    }

    /// Without a trailing slash.
    let text: String

    /// - Parameter example: a valid URL, for messages.
    init(_ text: String, path rule: PathRule, like example: String) throws(Fault) {
        guard text.hasPrefix("https://") || text.hasPrefix("http://") else {
            throw Fault(expectation: "a URL that begins with https:// or http://, like \(example)")
        }
        let pattern = /(https?:\/\/(?:[A-Za-z0-9._\-]+|\[[0-9A-Fa-f:.]+\])(?::([0-9]{1,5}))?)(\/[^?#\s]*)?/
        guard let match = text.wholeMatch(of: pattern), match.2.map({ UInt16($0) != nil }) ?? true else {
            throw Fault(
                expectation: "a URL of scheme, host and port, like \(example), without user, password, query, fragment "
                    + "and spaces")
        }
        var path = match.3 ?? ""
        while path.hasSuffix("/") { path.removeLast() }
        try Self.check(path, rule, like: example)
        self.text = "\(match.1)\(path)"
    }

    private static func check(_ path: Substring, _ rule: PathRule, like example: String) throws(Fault) {
        switch rule {
        case .empty:
            guard path.isEmpty else {
                throw Fault(
                    expectation:
                        "scheme, host and port without a path, like \(example): remove the path, since requests "
                        + "add their own")
            }
        case .any(let endings):
            if let ending = endings.first(where: { path.hasSuffix($0) }) {
                throw Fault(
                    expectation:
                        "a URL without \(ending) at its end, like \(example): remove that, since requests add it")
            }
        case .plain:
            guard path.wholeMatch(of: /(?:\/[A-Za-z0-9_~\-][A-Za-z0-9._~\-]*)*/) != nil else {
                throw Fault(
                    expectation: "a URL whose path has only letters, digits, dots, hyphens, _ and ~ between single "
                        + "slashes, like \(example)")
            }
        }
    }
}
