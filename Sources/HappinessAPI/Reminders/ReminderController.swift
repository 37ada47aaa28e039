import Hummingbird
import Shared

/// When and how a team's members are reminded.
struct ReminderController: Sendable {
    let reminders: ReminderService

    /// `GET /api/v1/teams/{team}/reminders`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let settings = try await reminders.settings(of: try context.teamID(), by: caller)
        return try JSONBody.response(ReminderSettingsResponse(settings))
    }

    /// `PUT /api/v1/teams/{team}/reminders`: as a whole.
    func update(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let teamID = try context.teamID()
        let settings = try await request.json(as: ReminderSettingsRequest.self).settings
        return try JSONBody.response(
            ReminderSettingsResponse(try await reminders.update(teamID, settings, by: caller)))
    }

    /// `POST /api/v1/teams/{team}/reminders/preview`: what would come of settings that are not stored.
    func preview(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let teamID = try context.teamID()
        let settings = try await request.json(as: ReminderSettingsRequest.self).settings
        return try JSONBody.response(
            ReminderPreviewResponse(try await reminders.preview(teamID, settings, by: caller)))
    }
}
