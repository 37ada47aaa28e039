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
}
