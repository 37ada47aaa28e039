import Domain
import Hummingbird

/// The page with the installation's status.
struct StatusPageController: Sendable {
    let forms: PageForms<ClientErrorNotice>
    let statuses: StatusService

    /// `GET /admin/status`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { visit in
            StatusPage(try await statuses.status(by: visit.principal.caller), visit: visit)
        }
    }
}
