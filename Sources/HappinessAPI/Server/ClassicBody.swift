import Domain
import Hummingbird

/// Decodes request bodies of the first clients: Android sends a form, iOS JSON.
enum ClassicBody {
    /// Decodes either format into a type whose fields are strings or numbers. Unknown fields are ignored.
    /// - Throws: `AppError`: `unsupportedMediaType`, `tooLarge`, `malformed` naming the field.
    static func decode<Value: Decodable>(_ type: Value.Type, from request: Request) async throws -> Value {
        let contentType = request.headers[.contentType] ?? ""
        if contentType.isMediaType("application/json") {
            return try JSONFields.decode(type, from: try await request.collectedBody(limit: Request.ordinaryLimit))
        }
        guard contentType.isMediaType(FormBody.mediaType) else {
            throw AppError(.unsupportedMediaType, "Please send a form or application/json.")
        }
        return try await FormBody.decode(type, from: request)
    }
}
