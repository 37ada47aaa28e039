import Domain
import Foundation
import Hummingbird
import NIOCore

/// Rejects control characters (Unicode category Cc) in the text of requests: some libraries end a string at NUL and
/// others do not, and people cannot see them.
///
/// Multi-line fields may contain line breaks and tabs. Names, addresses and tokens may begin and end with them, as what is
/// pasted from a table or a mail often does: their readers leave them out.
///
/// All code that reads text from requests calls this: `JSONFields`, `FormBody`, `FormSealer`, `MultipartForm`, and
/// `ControlCharacterMiddleware` for everything outside the body.
enum ControlCharacters {
    /// Multi-line fields; also matched as part of a name, such as `body-first-en`.
    private static let namesWithLines: Set<String> = [
        "body", "emails", "feedback", "list", "message", "notes", "quote", "stack", "text",
    ]

    /// Fields of which no reader keeps white space at the ends; a part of a name counts, as above.
    private static let namesWithBlankEnds: Set<String> = [
        "code", "displayName", "email", "name", "refreshToken", "search", "title", "token", "username",
    ]

    /// - Parameter field: name of the field.
    /// - Throws: `AppError.malformed` (`control-character`) naming the field.
    static func refuse(in text: String, field: String) throws(AppError) {
        // Most texts have no byte that could be part of one.
        guard text.utf8.contains(where: isControl) else { return }
        if contains(text.utf8, allowing: lines(in: field)) { throw error(in: field) }
    }

    /// Checks the headers of a form's part, in which tabs are white space.
    /// - Throws: `AppError.malformed` (`control-character`).
    static func refuse(inHeader line: some Sequence<UInt8>) throws(AppError) {
        if contains(line, allowing: [0x09]) { throw error }
    }

    /// Checks the names and values of a form encoded as `application/x-www-form-urlencoded`. Encoding errors are left
    /// to the decoder.
    /// - Parameter hasLines: whether all values may have several lines.
    /// - Returns: what `refuse(in:field:)` throws; `nil` for a form without control characters.
    static func problem(inForm form: String, hasLines: Bool = false) -> AppError? {
        problem(in: form) { hasLines ? lineEndsAndTab : lines(in: $0) }
    }

    private static func problem(in form: String, allowing allowed: (String) -> Set<UInt8>) -> AppError? {
        for pair in form.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map { percentDecoded($0) }
            let name = String(decoding: parts.first ?? [], as: UTF8.self)
            guard !contains(name.utf8),
                parts.count < 2 || !contains(value(parts[1], of: name), allowing: allowed(name))
            else { return error(in: name) }
        }
        return nil
    }

    /// Checks the path and the query of a request.
    /// - Throws: `AppError.malformed` (`control-character`).
    static func refuse(inAddress address: String) throws(AppError) {
        // Most addresses have neither a byte that could be part of a control character nor an encoded one.
        guard address.utf8.contains(where: { isControl($0) || $0 == UInt8(ascii: "%") }) else { return }
        let parts = address.split(separator: "?", maxSplits: 1)
        if contains(percentDecoded(parts.first ?? "")) { throw error }
        if parts.count == 2, problem(in: String(parts[1]), allowing: { _ in [] }) != nil { throw error }
    }

    /// Checks the names and strings of JSON, including escapes such as `\u0000`. Anything but JSON in UTF-8 (RFC 8259
    /// §8.1) is left to the decoder; Foundation's would also read UTF-16, in which every brace has a zero byte.
    /// - Throws: as `refuse(in:field:)`.
    static func refuse(inJSON json: ByteBuffer) throws(AppError) {
        let bytes = json.readableBytesView
        // Most requests have neither a byte that could be part of a control character nor an escape.
        guard json.withUnsafeReadableBytes({ $0.contains { isControl($0) || $0 == UInt8(ascii: "\\") } }) else {
            return
        }
        guard !bytes.contains(0) else { throw error }
        var field = ""
        var rest = bytes[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "\"")) {
            guard let end = endOfText(in: bytes, from: start + 1) else { return }
            let text = bytes[(start + 1)..<end]
            rest = bytes[(end + 1)...]
            // Strings in an array belong to the name in front of the array.
            let isName = rest.first { !whiteSpaceOfJSON.contains($0) } == UInt8(ascii: ":")
            if isName { field = String(decoding: text, as: UTF8.self) }
            let checked = isName || !hasBlankEnds(field) ? text : withoutBlankEnds(json: text)
            guard !contains(checked, allowing: isName ? [] : lines(in: field)),
                !containsEscape(checked, allowing: isName ? [] : lines(in: field))
            else { throw error(in: field) }
        }
    }

    // MARK: -

    private static let lineEndsAndTab: Set<UInt8> = [0x09, 0x0a, 0x0d]
    private static let whiteSpaceOfJSON: Set<UInt8> = [0x09, 0x0a, 0x0d, 0x20]

    private static func hasBlankEnds(_ field: String) -> Bool {
        field.split(separator: "-").contains { namesWithBlankEnds.contains(String($0)) }
    }

    /// The part of a form's value that has to be without control characters.
    private static func value(_ bytes: [UInt8], of field: String) -> ArraySlice<UInt8> {
        guard hasBlankEnds(field) else { return bytes[...] }
        guard let first = bytes.firstIndex(where: { !whiteSpaceOfJSON.contains($0) }),
            let last = bytes.lastIndex(where: { !whiteSpaceOfJSON.contains($0) })
        else { return [] }
        return bytes[first...last]
    }

    /// A JSON string without white space at its ends, which may be escaped.
    private static func withoutBlankEnds(json text: ByteBufferView) -> ByteBufferView {
        var (first, end) = (text.endIndex, text.startIndex)
        var index = text.startIndex
        while index < text.endIndex {
            let isEscape = text[index] == UInt8(ascii: "\\")
            let value = isEscape ? character(ofEscape: text[index...]) : text[index]
            // An escape with four digits has six characters.
            let isLong = isEscape && text[index...].dropFirst().first == UInt8(ascii: "u")
            let next = min(index + (isLong ? 6 : isEscape ? 2 : 1), text.endIndex)
            if value.map({ !whiteSpaceOfJSON.contains($0) }) ?? true {
                first = min(first, index)
                end = next
            }
            index = next
        }
        return text[min(first, end)..<end]
    }

    private static func lines(in field: String) -> Set<UInt8> {
        field.split(separator: "-").contains { namesWithLines.contains(String($0)) } ? lineEndsAndTab : []
    }

    /// Whether UTF-8 contains a control character. Those of ASCII are one byte; U+0080...U+009F are C2 and a second
    /// byte.
    private static func contains(_ bytes: some Sequence<UInt8>, allowing allowed: Set<UInt8> = []) -> Bool {
        var previous: UInt8 = 0
        for byte in bytes {
            let isAllowed = byte < 0x80 ? allowed.contains(byte) : previous != 0xC2
            if isControl(byte), !isAllowed { return true }
            previous = byte
        }
        return false
    }

    private static func isControl(_ value: UInt8) -> Bool {
        value < 0x20 || (0x7f...0x9f).contains(value)
    }

    /// The index of the quotation mark that ends a JSON string; `nil` if it is missing.
    private static func endOfText(in bytes: ByteBufferView, from start: Int) -> Int? {
        var index = start
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "\""): return index
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return nil
    }

    /// Whether a JSON string contains an escape for a control character (RFC 8259 §7).
    private static func containsEscape(_ text: ByteBufferView, allowing allowed: Set<UInt8>) -> Bool {
        var rest = text[...]
        while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")), backslash + 1 < text.endIndex {
            if let value = character(ofEscape: text[backslash...]), isControl(value), !allowed.contains(value) {
                return true
            }
            rest = text[(backslash + 2)...]
        }
        return false
    }

    /// What an escape stands for; `nil` for characters that are neither a control character nor white space.
    /// - Parameter text: begins with the backslash.
    private static func character(ofEscape text: ByteBufferView) -> UInt8? {
        guard let kind = text.dropFirst().first else { return nil }
        return switch kind {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0c
        case UInt8(ascii: "n"): 0x0a
        case UInt8(ascii: "r"): 0x0d
        case UInt8(ascii: "t"): 0x09
        // Larger values are not control characters and do not fit.
        case UInt8(ascii: "u"): UInt8(String(decoding: text.dropFirst(2).prefix(4), as: UTF8.self), radix: 16)
        default: nil
        }
    }

    /// The bytes of a percent-encoded string (`%41`); a percent sign without two hex digits stands for itself.
    private static func percentDecoded(_ text: Substring) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(isHexadecimal),
                let value = UInt8(String(Substring(digits)), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        Character(UnicodeScalar(byte)).isHexDigit
    }

    private static let error = AppError(
        .malformed, "The request contains a control character. Please remove it.", reason: .controlCharacter)

    /// - Parameter field: included in the message if it looks like a field name.
    private static func error(in field: String) -> AppError {
        guard field.wholeMatch(of: /[A-Za-z0-9._-]{1,64}/) != nil else { return error }
        return AppError(
            .malformed, "The field \(field) contains a control character. Please remove it.",
            reason: .controlCharacter)
    }
}
