import Domain
import Foundation
import Hummingbird
import NIOCore

/// Decodes forms as pages send them, `application/x-www-form-urlencoded` (URL Standard, §5.1). One with a file is a
/// `MultipartForm`.
enum FormBody {
    /// Content type of these forms.
    static let mediaType = "application/x-www-form-urlencoded"

    /// Decodes a form into a type whose fields are strings or numbers. Unknown fields are ignored.
    /// - Throws: `AppError`: `unsupportedMediaType`, `tooLarge`, `malformed` naming the field.
    static func decode<Value: Decodable>(_ type: Value.Type, from request: Request) async throws -> Value {
        let (value, problem) = try await decodeShowingAgain(type, from: request)
        if let problem { throw problem }
        return value
    }

    /// The same for a page that shows the form again with what was typed and the reason it was rejected.
    /// - Returns: as `problem` the error for a control character in the form; its fields must not be used then.
    static func decodeShowingAgain<Value: Decodable>(
        _ type: Value.Type, from request: Request
    ) async throws -> (value: Value, problem: AppError?) {
        guard let contentType = request.headers[.contentType], contentType.isMediaType(mediaType) else {
            throw AppError(.unsupportedMediaType, "Please send a form.")
        }
        let buffer = try await request.collectedBody(limit: Request.ordinaryLimit)
        // The decoder leaves invalid escapes as they are: `%FF` would be stored as three characters.
        guard let text = String(validating: buffer.readableBytesView, as: UTF8.self),
            text.removingPercentEncoding != nil
        else { throw unreadable }
        do {
            let value = try URLEncodedFormDecoder().decode(type, from: text.replacing("+", with: "%20"))
            return (value, ControlCharacters.problem(inForm: text))
        } catch let rejection as AppError {
            throw rejection
        } catch DecodingError.keyNotFound(let key, _) {
            throw AppError(.malformed, "The field \(key.stringValue) is missing.")
        } catch {
            throw unreadable
        }
    }

    private static let unreadable = AppError(.malformed, "The form couldn’t be read.")
}
