import Domain
import Foundation
import Hummingbird
import Services

/// Lists the errors reported by apps and pages, and shows each of them.
struct ClientErrorPageController: Sendable {
    let forms: PageForms<ClientErrorNotice>
    let errors: ClientErrorService

    /// `GET /admin/errors?state=`
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        let state = request.query("state").flatMap(ClientErrorState.init(rawValue:)) ?? .open
        return try await forms.show(request, context) { visit in
            ClientErrorListPage(
                try await errors.list(isResolved: state == .resolved, by: visit.principal.caller), state: state,
                today: errors.today, visit: visit)
        }
    }

    /// `GET /admin/errors/{error}`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { try await page(context.clientErrorID, $0) }
    }

    private struct StateForm: Decodable {
        let state: ClientErrorState
    }

    /// `POST /admin/errors/{error}`: marks the error as resolved, or reopens it.
    func change(_ request: Request, context: AppRequestContext) async throws -> Response {
        let id = context.clientErrorID
        return try await forms.submit(StateForm.self, request, context) {
            try await page(id, $0)
        } response: { form, visit in
            try await errors.resolve(id, form.state == .resolved, by: visit.principal.caller)
            return try PageForms<ClientErrorNotice>.done(form.state == .resolved ? .resolved : .reopened, for: visit)
        }
    }

    /// `POST /admin/errors/{error}/delete`; the page asks for confirmation first.
    func delete(_ request: Request, context: AppRequestContext) async throws -> Response {
        let id = context.clientErrorID
        return try await forms.submit(NoFields.self, request, context, then: .removed) {
            try await page(id, $0)
        } _: { _, visit in
            try await errors.delete(id, by: visit.principal.caller)
        }
    }

    private func page(_ id: ClientErrorGroup.ID, _ visit: PageVisit) async throws -> ClientErrorPage {
        ClientErrorPage(try await errors.find(id, by: visit.principal.caller), today: errors.today, visit: visit)
    }
}
