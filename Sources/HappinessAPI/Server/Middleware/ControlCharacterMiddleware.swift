import HTTPTypes
import Hummingbird

/// Rejects control characters outside the body: in the path, the query, and the headers whose values are stored or
/// compared.
struct ControlCharacterMiddleware: RouterMiddleware {
    private static let headers: [HTTPField.Name] = [
        .authorization, .cookie, .formToken, .ifNoneMatch, .lastEventID, .userAgent, .xForwardedFor,
    ]

    func handle(
        _ request: Request, context: AppRequestContext, next: (Request, AppRequestContext) async throws -> Response
    ) async throws -> Response {
        try ControlCharacters.refuse(inAddress: request.uri.string)
        for name in Self.headers {
            for value in request.headers[values: name] {
                try ControlCharacters.refuse(in: value, field: name.rawName)
            }
        }
        return try await next(request, context)
    }
}

extension HTTPField.Name {
    /// What a browser read last of an event stream (HTML §9.2.4).
    static let lastEventID = HTTPField.Name.constant("Last-Event-ID")
}
