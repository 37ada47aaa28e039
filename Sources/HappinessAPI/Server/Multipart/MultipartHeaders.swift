import Domain
import Foundation

/// The headers of a part that matter: its name and its encoding.
struct MultipartHeaders: Equatable, Sendable {
    /// Maximum size of a part's headers in bytes, including file names.
    static let maximumBytes = 8 * 1024

    /// The name of the form field; `nil` if the part has none.
    let name: String?

    /// - Parameter bytes: lines separated by CRLF, without one at the end.
    /// - Throws: `AppError.malformed` for invalid headers, or a content encoding that changes the bytes.
    init(_ bytes: [UInt8]) throws(AppError) {
        // File names may be in any encoding (RFC 7578 §5.1.3); they are not used here.
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        var name: String?
        for line in lines where !line.isEmpty {
            try ControlCharacters.refuse(inHeader: line.utf8)
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else {
                throw MultipartParser.error(Sentence("has a part with a line that isn’t a header"))
            }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            switch line[..<colon].trimmingCharacters(in: .whitespaces).lowercased() {
            case "content-disposition":
                let disposition = HeaderParameters(value)
                if disposition.value == "form-data" { name = name ?? disposition.first("name") }
            case "content-transfer-encoding":
                // Deprecated (RFC 7578 §4.7), but old clients send it; these encodings leave the bytes unchanged.
                guard ["binary", "8bit", "7bit"].contains(value.lowercased()) else {
                    throw MultipartParser.error(Sentence("has a part that isn’t sent as plain bytes"))
                }
            // Old clients send a Content-Length in a part; it is not reliable.
            default: break
            }
        }
        self.name = name
    }
}
