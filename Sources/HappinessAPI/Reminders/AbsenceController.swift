import Hummingbird
import Shared

/// When the one who asks is away and wants no reminders.
struct AbsenceController: Sendable {
    let absences: AbsenceService

    /// Request and answer alike.
    private struct AbsenceList: Codable {
        let absences: [Absence]
    }

    /// `GET /api/v1/me/absences`
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        try JSONBody.response(AbsenceList(absences: try await absences.list(by: try context.requirePrincipal())))
    }

    /// `PUT /api/v1/me/absences`: in place of all earlier ones.
    func replace(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal()
        let body = try await request.json(as: AbsenceList.self)
        return try JSONBody.response(AbsenceList(absences: try await absences.replace(body.absences, by: caller)))
    }
}
