import Domain
import Hummingbird
import Services

/// Experiments with the wording of a team's reminders, for leads and administrators.
struct ExperimentController: Sendable {
    let experiments: ExperimentService

    /// `GET /api/v1/teams/{team}/experiments`
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let list = try await experiments.list(of: try context.teamID(), by: caller)
        return try JSONBody.response(["experiments": list.map { ExperimentResponse($0) }])
    }

    /// `POST /api/v1/teams/{team}/experiments`
    func add(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let teamID = try context.teamID()
        let experiment = try await request.json(as: ExperimentRequest.self).experiment(of: teamID)
        let added = try await experiments.add(experiment, by: caller)
        return try JSONBody.response(ExperimentResponse(added), status: .created)
    }

    /// `GET /api/v1/teams/{team}/experiments/{experiment}`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let found = try await experiments.find(try context.experimentID(), of: try context.teamID(), by: caller)
        return try JSONBody.response(ReportedExperimentResponse(found.experiment, report: found.report))
    }

    /// `DELETE /api/v1/teams/{team}/experiments/{experiment}`
    func end(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        try await experiments.end(try context.experimentID(), of: try context.teamID(), by: caller)
        return Response(status: .noContent)
    }
}

extension AppRequestContext {
    /// The experiment id in the path.
    /// - Throws: `AppError.notFound`, also for a malformed id.
    fileprivate func experimentID() throws -> ReminderExperiment.ID {
        guard let text = parameters.get("experiment"), let id = ReminderExperiment.ID(text) else {
            throw AppError.noSuchExperiment
        }
        return id
    }
}
