import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Encodes and decodes JSON bodies; the API uses no other code for it.
enum JSONBody {
    static let mediaType = "application/json; charset=utf-8"

    /// Encodes a value with sorted keys, so that equal values have equal bytes; dates are ISO 8601 in UTC.
    static func bytes(of value: some Encodable) throws -> ByteBuffer {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return ByteBuffer(bytes: try encoder.encode(value))
    }

    /// Only for values made of strings and integers, since these always encode.
    static func of(_ value: some Encodable) -> ResponseBody {
        do {
            return ResponseBody(byteBuffer: try bytes(of: value))
        } catch {
            return ResponseBody(byteBuffer: ByteBuffer(string: #"{"message":"Internal error"}"#))
        }
    }

    /// A response that must not be cached.
    static func response(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        Response(
            status: status, headers: [.contentType: mediaType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: try bytes(of: value)))
    }
}

extension Request {
    /// Maximum size of an ordinary request in bytes; the longest feedback fits, even with every character escaped.
    static let ordinaryLimit = 64 * 1024

    /// Decodes the body as JSON. Every route of `/api/v1` that takes JSON calls this; `FormBody` and `ClassicBody`, for
    /// pages and the first clients' routes, ignore unknown fields.
    /// - Throws: `AppError`: `unsupportedMediaType` for another content type, `tooLarge`, `malformed` naming the
    ///   invalid field, also one that `Value` does not have (`KnownFields`).
    func json<Value: Decodable>(as type: Value.Type, limit: Int = ordinaryLimit) async throws -> Value {
        guard let contentType = headers[.contentType], contentType.isMediaType("application/json") else {
            throw AppError(.unsupportedMediaType, "Please send application/json.")
        }
        return try JSONFields.decode(KnownFields<Value>.self, from: try await collectedBody(limit: limit)).value
    }

    /// Reads the whole body.
    /// - Throws: `AppError`: `tooLarge`, `tooSlow`, `malformed` (`cut-short`). `CancellationError`.
    func collectedBody(limit: Int) async throws -> ByteBuffer {
        let length = headers[.contentLength].flatMap(Int.init)
        if let length, length > limit { throw Self.tooLarge }
        var collected = ByteBuffer()
        var pieces = BodyChunks(body)
        while var piece = try await pieces.next() {
            guard collected.readableBytes + piece.readableBytes <= limit else { throw Self.tooLarge }
            collected.writeBuffer(&piece)
        }
        // If the connection closes halfway, the body may end as if it were complete.
        guard length == nil || length == collected.readableBytes else { throw AppError.cutShort }
        return collected
    }

    private static let tooLarge = AppError(.tooLarge, "The request is too large.")
}

/// Decodes JSON. Error messages name the invalid field in plain words and never repeat its value.
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

    private static func message(for error: DecodingError) -> Sentence {
        switch error {
        case .keyNotFound(let key, _): Sentence("The field \(key.stringValue) is missing.")
        case .valueNotFound(_, let context), .typeMismatch(_, let context):
            field(context).map { Sentence("The field \($0) has the wrong type.") }
                ?? Sentence("The request must be a JSON object.")
        case .dataCorrupted(let context):
            field(context).map { Sentence("The field \($0) can’t be read.") }
                ?? Sentence("The request isn’t valid JSON.")
        @unknown default: Sentence("The request isn’t valid JSON.")
        }
    }

    /// The innermost field with a name: the elements of a list have none.
    private static func field(_ context: DecodingError.Context) -> String? {
        context.codingPath.last { $0.intValue == nil }?.stringValue
    }
}

extension String {
    /// Whether a Content-Type value has this media type, ignoring parameters and case (RFC 9110 §8.3.1).
    func isMediaType(_ name: String) -> Bool {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var type = utf8.prefix { $0 != UInt8(ascii: ";") }.drop(while: isBlank)
        while let last = type.last, isBlank(last) { type.removeLast() }
        return String(Substring(type)).lowercased() == name
    }
}
