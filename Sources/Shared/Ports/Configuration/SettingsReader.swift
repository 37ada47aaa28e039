package import Configuration
package import Domain
import Foundation

/// Reads settings by the names of their environment variables.
///
/// It reads on after an invalid setting, with the default in its place, so that all of them can be reported at once.
package final class SettingsReader {
    private let reader: ConfigReader
    private var problems: [SettingsError] = []

    /// Reads from the reader's providers.
    package init(_ reader: ConfigReader) {
        self.reader = reader
    }

    /// Reports an invalid setting.
    /// - Parameter expectation: the end of "must be …"; must not repeat a secret.
    package func refuse(_ key: String, expectation: String) {
        // Both buckets read the settings that they share.
        guard !problems.contains(where: { $0.key == key && $0.expectation == expectation }) else { return }
        problems.append(SettingsError(key: key, expectation: expectation))
    }

    /// The result of `parse`; if that fails, reports why and returns the default.
    package func parsed<Value>(default standard: Value, _ parse: () throws(SettingsError) -> Value) -> Value {
        do {
            return try parse()
        } catch {
            problems.append(error)
            return standard
        }
    }

    /// - Throws: `SettingsError` if any setting was invalid; the first one has all others.
    package func requireNoProblem() throws(SettingsError) {
        guard let first = problems.first else { return }
        throw SettingsError(key: first.key, expectation: first.expectation, others: Array(problems.dropFirst()))
    }

    /// An empty value means none, so that `KEY=` in `.env` selects the default.
    package func optionalText(_ name: String, isSecret: Bool = false) -> String? {
        // The environment variable `A_B` is the key `a.b` of swift-configuration.
        let key = ConfigKey(name.lowercased().split(separator: "_").map(String.init))
        let value = reader.string(forKey: key, isSecret: isSecret)
        return value?.isEmpty == true ? nil : value
    }

    /// The value, or `standard` if it is not set.
    package func text(_ name: String, default standard: String, isSecret: Bool = false) -> String {
        optionalText(name, isSecret: isSecret) ?? standard
    }

    /// The number, or `standard` if it is not set. Reports one that is not in the range.
    package func integer(_ name: String, default standard: Int, in range: ClosedRange<Int>) -> Int {
        guard let text = optionalText(name) else { return standard }
        guard let value = Int(text), range.contains(value) else {
            refuse(name, expectation: "a whole number from \(range.lowerBound) to \(range.upperBound)")
            return standard
        }
        return value
    }

    /// The value with this name, or `standard` if it is not set. Reports another name.
    package func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String, default standard: Value
    ) -> Value {
        guard let text = optionalText(name) else { return standard }
        guard let value = Value(rawValue: text) else {
            let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
            refuse(name, expectation: "one of: \(names)")
            return standard
        }
        return value
    }

    /// The entries of a list separated by commas, without spaces around them.
    package func list(_ name: String, default standard: String = "") -> [String] {
        Self.entries(of: text(name, default: standard))
    }

    /// The entries of a list separated by commas, without spaces around them.
    package static func entries(of list: String) -> [String] {
        list.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// Scheme, host and port for requests, and the path if `path` allows one; trailing slashes are removed.
    /// - Parameter example: a valid value for messages; `nil` takes the default.
    package func baseURL(
        _ name: String, default standard: String, path rule: BaseURL.PathRule, example: String? = nil
    ) -> String {
        guard let text = optionalText(name) else { return standard }
        do {
            return try BaseURL(text, path: rule, like: example ?? standard).text
        } catch {
            refuse(name, expectation: error.expectation)
            return standard
        }
    }
}
