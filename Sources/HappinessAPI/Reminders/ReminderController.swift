import Domain
import Hummingbird
import Services

/// A team's reminder settings: when and how members are reminded.
struct ReminderController: Sendable {
    let reminders: ReminderService
    /// For the standard texts.
    let catalog: TextCatalog

    /// `GET /api/v1/teams/{team}/reminders`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let settings = try await reminders.settings(of: try context.teamID(), by: caller)
        return try JSONBody.response(ReminderSettingsResponse(settings, standard: catalog.texts))
    }

    /// `PUT /api/v1/teams/{team}/reminders`: replaces all settings.
    func update(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let teamID = try context.teamID()
        let settings = try await wantedSettings(request, teamID: teamID, caller: caller)
        return try JSONBody.response(
            ReminderSettingsResponse(try await reminders.update(teamID, settings, by: caller), standard: catalog.texts))
    }

    /// `POST /api/v1/teams/{team}/reminders/preview`: shows the effect of settings without storing them.
    func preview(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let teamID = try context.teamID()
        let settings = try await wantedSettings(request, teamID: teamID, caller: caller)
        return try JSONBody.response(
            ReminderPreviewResponse(try await reminders.preview(teamID, settings, standard: catalog.texts, by: caller)))
    }

    private func wantedSettings(_ request: Request, teamID: Team.ID, caller: Caller) async throws -> ReminderSettings {
        let wanted = try await request.json(as: ReminderSettingsRequest.self)
        return try wanted.settings(replacing: try await reminders.settings(of: teamID, by: caller))
    }
}
