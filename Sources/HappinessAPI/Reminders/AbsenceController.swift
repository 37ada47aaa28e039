import Domain
import Hummingbird
import Services

/// The caller's absences: days on which they get no reminders.
struct AbsenceController: Sendable {
    let absences: AbsenceService

    /// Body of both the request and the response.
    private struct AbsenceList: Codable {
        let absences: [Absence]
    }

    /// `GET /api/v1/me/absences`
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        try JSONBody.response(AbsenceList(absences: try await absences.list(by: try context.requirePrincipal())))
    }

    /// `PUT /api/v1/me/absences`: replaces all earlier ones.
    func replace(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal()
        let body = try await request.json(as: AbsenceList.self)
        return try JSONBody.response(AbsenceList(absences: try await absences.replace(body.absences, by: caller)))
    }
}
