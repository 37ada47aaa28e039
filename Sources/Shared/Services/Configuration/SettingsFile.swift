package import Foundation

/// The file `.env`: one `KEY=value` on each line.
///
/// It is read in every encoding in which editors save it: UTF-8 with and without a byte order mark, UTF-16 with one,
/// and lines that end with LF, CRLF or CR. A line that other readers of such files (shells, systemd, Compose) would
/// read in another way is rejected. `.env.example` describes the format, and `scripts/setting.sh` reads it too.
package struct SettingsFile: Sendable {
    /// The values by their keys. If a key is there twice, the later value.
    package private(set) var values: [String: String] = [:]
    /// A sentence for each line without an effect: its key is misspelled, or a later line has the same key. In the
    /// order of the file.
    package private(set) var notices: [String] = []

    private static let name = ".env"

    /// The file in the working directory, which need not exist.
    /// - Throws: `SettingsFileError`, or an error of the file system.
    package static func standard() throws -> SettingsFile {
        guard FileManager.default.fileExists(atPath: name) else { return try SettingsFile(Data()) }
        return try SettingsFile(Data(contentsOf: URL(filePath: name)))
    }

    /// - Parameter bytes: the file's contents.
    /// - Throws: `SettingsFileError` with all lines that cannot be read.
    package init(_ bytes: Data) throws(SettingsFileError) {
        var problems: [String] = []
        var lastLines: [String: Int] = [:]
        var notes: [(line: Int, text: String)] = []
        for (index, text) in Self.lines(of: Array(bytes)).enumerated() {
            let number = index + 1
            do throws(LineError) {
                guard let (key, value) = try Self.setting(text) else { continue }
                if let earlier = lastLines.updateValue(number, forKey: key) {
                    notes.append((earlier, "has no effect, because line \(number) sets \(key) again."))
                }
                if !Settings.knows(key) {
                    notes.append((number, FormerSettings.advice(on: key) ?? "\(key) is not a setting."))
                }
                values[key] = value
            } catch {
                problems.append("\(Self.name), line \(number): \(error.sentence)")
            }
        }
        guard problems.isEmpty else { throw SettingsFileError(lines: problems) }
        notices = notes.sorted { $0.line < $1.line }.map { "\(Self.name), line \($0.line): \($0.text)" }
    }

    /// The line for a value, so that it is read back as it is.
    /// - Throws: `OperatorError` if no line can have it; the message does not repeat the value.
    package static func line(_ key: String, _ value: String) throws -> String {
        for form in [value, "'\(value)'", "\"\(value)\""] {
            let line = "\(key)=\(form)"
            let file = try? SettingsFile(Data(line.utf8))
            if file?.values == [key: value] { return line }
        }
        throw OperatorError("The value of \(key) cannot be written to \(name): it has line ends or too many quotes.")
    }

    /// Why a line cannot be read. It does not repeat the line, which may have a secret.
    private struct LineError: Error {
        let sentence: String
    }

    /// - Parameter text: `nil` if the line is not text.
    /// - Returns: `nil` if the line is empty.
    private static func setting(_ text: String?) throws(LineError) -> (key: String, value: String)? {
        // UTF-16 without a byte order mark has zeros, too.
        guard let text, !text.unicodeScalars.contains(where: { isControl($0) }) else {
            throw LineError(sentence: "it is not text in UTF-8. Save the file as UTF-8.")
        }
        guard !text.allSatisfy(\.isWhitespace) else { return nil }
        guard let separator = text.firstIndex(of: "=") else {
            throw LineError(sentence: "it has no “=”. Write KEY=value, or begin a comment with #.")
        }
        let left = text[..<separator].trimmingCharacters(in: .whitespaces)
        guard let match = left.wholeMatch(of: /(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)/) else {
            throw LineError(sentence: "before the “=” must be the name of a setting and nothing else.")
        }
        return (String(match.1), try value(text[text.index(after: separator)...]))
    }

    /// The value after the `=`, without quotes around it.
    private static func value(_ text: Substring) throws(LineError) -> String {
        let value = text.trimmingCharacters(in: .whitespaces)
        guard let quote = value.first, quote == "\"" || quote == "'" else {
            guard text.firstMatch(of: /\s#/) == nil else {
                throw LineError(
                    sentence: "a comment needs a line of its own. If the # belongs to the value, put quotes around it.")
            }
            return value
        }
        let inner = value.dropFirst().dropLast()
        guard value.count > 1, value.last == quote, !inner.contains(quote) else {
            throw LineError(
                sentence: "the value begins with a quote, which does not enclose all of it. Add a quote at the end; "
                    + "put single quotes around a value with double ones.")
        }
        // Other programs read it as the beginning of an escape.
        guard quote == "'" || !inner.contains("\\") else {
            throw LineError(sentence: "a value with a backslash needs single quotes or none.")
        }
        return String(inner)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control && scalar != "\t"
    }

    /// The lines without their ends. Comments are empty, since nobody reads them; `nil` if one is not valid in the
    /// file's encoding.
    private static func lines(of bytes: [UInt8]) -> [String?] {
        switch bytes.prefix(2) {
        case [0xFF, 0xFE]: split(units(bytes) { UInt16($1) << 8 | UInt16($0) }, as: UTF16.self)
        case [0xFE, 0xFF]: split(units(bytes) { UInt16($0) << 8 | UInt16($1) }, as: UTF16.self)
        default: split(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes, as: UTF8.self)
        }
    }

    /// The units of UTF-16 after the byte order mark.
    private static func units(_ bytes: [UInt8], _ unit: (UInt8, UInt8) -> UInt16) -> [UInt16] {
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { unit(bytes[$0], bytes[$0 + 1]) }
        // If half a unit is left, a surrogate without its partner makes the last line invalid.
        return bytes.count.isMultiple(of: 2) ? units : units + [0xD800]
    }

    private static func split<Encoding: Unicode.Encoding>(
        _ units: [Encoding.CodeUnit], as encoding: Encoding.Type
    ) -> [String?] {
        let (lineFeed, carriageReturn) = (Encoding.CodeUnit(0x0A), Encoding.CodeUnit(0x0D))
        var lines: [[Encoding.CodeUnit]] = [[]]
        var previous = Encoding.CodeUnit(0)
        for unit in units {
            if unit == carriageReturn || unit == lineFeed && previous != carriageReturn {
                lines.append([])
            } else if unit != lineFeed {
                lines[lines.count - 1].append(unit)
            }
            previous = unit
        }
        return lines.map { line in
            let first = line.first { $0 != Encoding.CodeUnit(0x20) && $0 != Encoding.CodeUnit(0x09) }
            return first == Encoding.CodeUnit(0x23) ? "" : String(validating: line, as: encoding)
        }
    }
}

/// The lines of `.env` that cannot be read.
package struct SettingsFileError: Error, Equatable, CustomStringConvertible {
    /// A sentence for each line, with the line's number and without its text, which may be a secret.
    package let lines: [String]

    /// For the operator.
    package var description: String { lines.joined(separator: "\n") }
}
