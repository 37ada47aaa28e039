import Foundation

/// The file `.env`, as far as its keys go. `Settings.load` reads the values.
package struct SettingsFile: Sendable {
    private let text: String

    /// The file in the working directory, which need not exist.
    package static var standard: SettingsFile {
        SettingsFile(text: (try? String(contentsOfFile: ".env", encoding: .utf8)) ?? "")
    }

    /// - Parameter text: the file's contents.
    package init(text: String) {
        self.text = text
    }

    /// Keys that no program reads, such as misspelled ones, in their order.
    package var unknownKeys: [String] {
        text.split(whereSeparator: \.isNewline)
            .filter { !$0.hasPrefix("#") }
            .compactMap { line in line.firstIndex(of: "=").map { line[..<$0].trimmingCharacters(in: .whitespaces) } }
            .filter { !Settings.knows($0) }
    }
}
