/// The text of a file that a spreadsheet saved.
package enum SpreadsheetText {
    /// The file is neither UTF-8 nor UTF-16 with a byte order mark.
    package struct UnknownEncoding: Error, Equatable {
        /// The first line that is not UTF-8, starting at 1.
        package let line: Int
    }

    /// The text without byte order mark. UTF-16 is what Excel saves as "Unicode Text"; it always has the mark. Older
    /// encodings are not guessed: a wrong guess would change names without a word.
    package static func decoded(_ bytes: some Collection<UInt8>) throws(UnknownEncoding) -> String {
        let mark = Array(bytes.prefix(2))
        if mark == [0xFF, 0xFE] || mark == [0xFE, 0xFF] {
            let text = utf16(bytes.dropFirst(2), isBigEndian: mark == [0xFE, 0xFF])
            guard let text else { throw UnknownEncoding(line: 1) }
            return text
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let lines = bytes.split(omittingEmptySubsequences: false) { $0 == 0x0A }
            let index = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
            throw UnknownEncoding(line: index + 1)
        }
        return text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
    }

    private static func utf16(_ bytes: some Collection<UInt8>, isBigEndian: Bool) -> String? {
        var units: [UInt16] = []
        var pending: UInt8?
        for byte in bytes {
            guard let first = pending else {
                pending = byte
                continue
            }
            let (high, low) = isBigEndian ? (first, byte) : (byte, first)
            units.append(UInt16(high) << 8 | UInt16(low))
            pending = nil
        }
        return pending == nil ? String(validating: units, as: UTF16.self) : nil
    }
}
