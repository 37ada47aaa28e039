import Hummingbird
import Shared

/// What a browser needs before it can be registered.
struct WebPushController: Sendable {
    /// `nil` if this installation sends nothing to browsers.
    let key: VAPIDKey?

    private struct KeyResponse: Encodable {
        /// As `PushManager.subscribe` takes it.
        let applicationServerKey: String
    }

    /// `GET /api/v1/push/web-key`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        guard let key else {
            throw AppError(.notFound, "Messages are not sent to browsers here.", reason: "web-push-off")
        }
        return try JSONBody.response(KeyResponse(applicationServerKey: key.publicText))
    }
}
