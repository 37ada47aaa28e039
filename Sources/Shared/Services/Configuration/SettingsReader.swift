import Configuration
import Foundation

/// Reads settings by the names of their environment variables.
struct SettingsReader {
    private let reader: ConfigReader

    init(_ reader: ConfigReader) {
        self.reader = reader
    }

    /// An empty value means none, so that `KEY=` in `.env` selects the default.
    func optionalText(_ name: String, isSecret: Bool = false) -> String? {
        // The environment variable `A_B` is the key `a.b` of swift-configuration.
        let key = ConfigKey(name.lowercased().split(separator: "_").map(String.init))
        let value = reader.string(forKey: key, isSecret: isSecret)
        return value?.isEmpty == true ? nil : value
    }

    func text(_ name: String, default standard: String, isSecret: Bool = false) -> String {
        optionalText(name, isSecret: isSecret) ?? standard
    }

    func integer(_ name: String, default standard: Int, in range: ClosedRange<Int>) throws -> Int {
        guard let text = optionalText(name) else { return standard }
        guard let value = Int(text), range.contains(value) else {
            throw SettingsError(
                key: name, expectation: "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    func choice<Value: RawRepresentable<String> & CaseIterable>(_ name: String, default standard: Value) throws -> Value
    {
        guard let text = optionalText(name) else { return standard }
        guard let value = Value(rawValue: text) else {
            let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw SettingsError(key: name, expectation: "one of: \(names)")
        }
        return value
    }

    /// Scheme, host and port for requests; a trailing slash is removed.
    func baseURL(_ name: String, default standard: String) throws -> String {
        let url = text(name, default: standard)
        guard let parts = URLComponents(string: url), ["http", "https"].contains(parts.scheme),
            parts.host?.isEmpty == false, parts.query == nil, parts.fragment == nil, parts.user == nil
        else { throw SettingsError(key: name, expectation: "a URL like \(standard)") }
        return url.hasSuffix("/") ? String(url.dropLast()) : url
    }
}
