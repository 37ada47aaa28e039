import Domain
import HTTPTypes
import Hummingbird
import NIOCore

/// A form with a small file, held in memory.
struct MultipartForm: Sendable {
    private let parts: [String: ByteBuffer]

    /// Reads the request's body.
    /// - Parameter limit: maximum size of the body in bytes.
    /// - Throws: `AppError`: `unsupportedMediaType`, `tooLarge`, `tooSlow`, `malformed`.
    init(_ request: Request, limit: Int) async throws {
        let contentType = request.headers[.contentType] ?? ""
        guard contentType.isMediaType("multipart/form-data") else {
            throw AppError(.unsupportedMediaType, "Please send a form with a file.")
        }
        var parser = MultipartParser(boundary: try MultipartBoundary(contentType: contentType))
        var parts: [String: ByteBuffer] = [:]
        // If two parts have the same name, the first one is used; parts without a name are ignored.
        var present: String?
        for event in try parser.read(try await request.collectedBody(limit: limit)) {
            switch event {
            case .part(let headers):
                present = headers.name.flatMap { parts[$0] == nil ? $0 : nil }
                if let present { parts[present] = ByteBuffer() }
            case .content(var bytes):
                if let present { parts[present]?.writeBuffer(&bytes) }
            case .partEnd:
                present = nil
            }
        }
        try parser.finish()
        self.parts = parts
    }

    /// The text of a field; `nil` if it is missing or not UTF-8.
    /// - Throws: `AppError.malformed` for a control character.
    func text(_ name: String) throws(AppError) -> String? {
        guard let part = parts[name], let text = String(validating: part.readableBytesView, as: UTF8.self) else {
            return nil
        }
        try ControlCharacters.refuse(in: text, field: name)
        return text
    }

    /// The text of a file that a spreadsheet saved; `nil` if the field is missing.
    /// - Throws: `SpreadsheetText.UnknownEncoding`, and `AppError.malformed` for a control character.
    func spreadsheetText(_ name: String) throws -> String? {
        guard let part = parts[name] else { return nil }
        let text = try SpreadsheetText.decoded(part.readableBytesView)
        try ControlCharacters.refuse(in: text, field: name)
        return text
    }

    /// Whether the form has a field of this name.
    func has(_ name: String) -> Bool { parts[name] != nil }
}
