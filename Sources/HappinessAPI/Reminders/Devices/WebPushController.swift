import Domain
import Hummingbird
import Ports

/// The key that a browser needs to subscribe.
struct WebPushController: Sendable {
    /// `nil` if this installation does not send Web Push.
    let key: VAPIDKey?

    /// `GET /api/v1/push/web-key`: in the format that `PushManager.subscribe` takes.
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        guard let key else {
            throw AppError(.notFound, "Messages aren’t sent to browsers here.", reason: .webPushOff)
        }
        return try JSONBody.response(["applicationServerKey": key.publicText])
    }
}
