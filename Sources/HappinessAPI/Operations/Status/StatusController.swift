import Domain
import Foundation
import Hummingbird

/// The installation's status as JSON.
struct StatusController: Sendable {
    let statuses: StatusService

    /// `GET /api/v1/admin/status`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        return try JSONBody.response(StatusResponse(try await statuses.status(by: caller)))
    }
}
