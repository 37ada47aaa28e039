import Foundation
import Shared

/// The headers of a part: of interest are its name and how its content is written.
struct MultipartHeaders: Equatable, Sendable {
    /// Bytes of all headers of a part, names of files included.
    static let maximumBytes = 8 * 1024

    /// The name of the form's field; `nil` for a part that has none.
    let name: String?

    /// - Parameter bytes: lines that end with CRLF, the last one without it.
    /// - Throws: `AppError.malformed` for lines that are no headers, or content that is not written as it is.
    init(_ bytes: [UInt8]) throws(AppError) {
        // Names of files may be in any encoding (RFC 7578 §5.1.3), and mean nothing here.
        let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        var name: String?
        for line in lines where !line.isEmpty {
            try ControlCharacters.refuse(inHeader: line.utf8)
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else {
                throw MultipartParser.error("has a part with a line that is no header")
            }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            switch line[..<colon].trimmingCharacters(in: .whitespaces).lowercased() {
            case "content-disposition":
                let disposition = HeaderParameters(value)
                if disposition.value == "form-data" { name = name ?? disposition.first("name") }
            case "content-transfer-encoding":
                // Deprecated (RFC 7578 §4.7), yet sent by old clients; these leave the bytes as they are.
                guard ["binary", "8bit", "7bit"].contains(value.lowercased()) else {
                    throw MultipartParser.error("has a part that is not sent as plain bytes")
                }
            // A Content-Length in a part, as an old client sends it, is not to be relied on.
            default: break
            }
        }
        self.name = name
    }
}
