import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Shared

/// Writes and reads JSON bodies the one way this API does.
enum JSONBody {
    static let mediaType = "application/json; charset=utf-8"

    /// Bytes of a value: keys sorted, so that equal values are equal bytes; instants in ISO 8601, UTC.
    static func bytes(of value: some Encodable) throws -> ByteBuffer {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return ByteBuffer(bytes: try encoder.encode(value))
    }

    /// For values of strings and integers only, which always encode.
    static func of(_ value: some Encodable) -> ResponseBody {
        do {
            return ResponseBody(byteBuffer: try bytes(of: value))
        } catch {
            return ResponseBody(byteBuffer: ByteBuffer(string: #"{"message":"Internal error"}"#))
        }
    }

    /// A finished answer that no cache keeps.
    static func response(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        Response(
            status: status, headers: [.contentType: mediaType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: try bytes(of: value)))
    }
}

extension Request {
    /// Bytes an ordinary request may have: a feedback of the longest kind, escaped, fits.
    static let ordinaryLimit = 64 * 1024

    /// Reads the body as JSON of a type.
    /// - Throws: `AppError`: `unsupportedMediaType` if it says it is something else, `tooLarge`, `malformed` naming the
    ///   field that is wrong.
    func json<Value: Decodable>(as type: Value.Type, limit: Int = ordinaryLimit) async throws -> Value {
        guard let contentType = headers[.contentType], contentType.isMediaType("application/json") else {
            throw AppError(.unsupportedMediaType, "Please send application/json.")
        }
        return try JSONFields.decode(type, from: try await collectedBody(limit: limit))
    }

    /// The body's bytes.
    /// - Throws: `AppError`: `tooLarge`, `tooSlow`, `malformed` (`cut-short`). `CancellationError`.
    func collectedBody(limit: Int) async throws -> ByteBuffer {
        let length = headers[.contentLength].flatMap(Int.init)
        if let length, length > limit { throw Self.tooLarge }
        var collected = ByteBuffer()
        var pieces = RequestPieces(body)
        while var piece = try await pieces.next() {
            guard collected.readableBytes + piece.readableBytes <= limit else { throw Self.tooLarge }
            collected.writeBuffer(&piece)
        }
        // A connection that was closed half-way may end a body like one that is whole.
        guard length == nil || length == collected.readableBytes else { throw AppError.cutShort }
        return collected
    }

    private static let tooLarge = AppError(.tooLarge, "The request is too large.")
}

/// Decodes JSON and says in plain words which field is wrong, and never repeats its value.
enum JSONFields {
    /// - Throws: `AppError.malformed`, also for a control character in a text.
    static func decode<Value: Decodable>(_ type: Value.Type, from buffer: ByteBuffer) throws -> Value {
        try ControlCharacters.refuse(inJSON: buffer)
        do {
            return try JSONDecoder().decode(type, from: Data(buffer.readableBytesView))
        } catch let error as DecodingError {
            throw AppError(.malformed, message(for: error))
        }
    }

    private static func message(for error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, _): "The field \(key.stringValue) is missing."
        case .valueNotFound(_, let context), .typeMismatch(_, let context):
            context.codingPath.last.map { "The field \($0.stringValue) has the wrong type." }
                ?? "The request must be a JSON object."
        case .dataCorrupted(let context):
            context.codingPath.last.map { "The field \($0.stringValue) cannot be read." }
                ?? "The request is not valid JSON."
        @unknown default: "The request is not valid JSON."
        }
    }
}

extension String {
    /// Whether a Content-Type value names a media type, parameters aside (RFC 9110 §8.3.1: case does not matter).
    func isMediaType(_ name: String) -> Bool {
        let type = prefix { $0 != ";" }
        return type.trimmingCharacters(in: .whitespaces).lowercased() == name
    }
}
