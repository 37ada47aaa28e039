import Foundation
import HTTPTypes

extension HTTPFields {
    /// The values of all cookies with a name, in the order sent (RFC 6265 §4.2.1). More than one means that a cookie
    /// which is not ours was added.
    func cookies(named name: String) -> [String] {
        let prefix = "\(name)="
        return self[values: .cookie].flatMap { $0.split(separator: ";") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { $0.hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.count)) }
    }

    /// Names and values of all cookies whose names begin so, in the order of the headers.
    func cookies(startingWith prefix: String) -> [(name: String, value: String)] {
        self[values: .cookie].flatMap { $0.split(separator: ";") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { $0.hasPrefix(prefix) }
            .compactMap { cookie in
                guard let sign = cookie.firstIndex(of: "=") else { return nil }
                return (name: String(cookie[..<sign]), value: String(cookie[cookie.index(after: sign)...]))
            }
    }
}
