import Domain
import Hummingbird
import Services

/// Jobs that failed for good, for administrators.
struct JobController: Sendable {
    let jobs: JobService

    /// `GET /api/v1/admin/jobs?state=`
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        let caller = try context.requirePrincipal().caller
        let state = try request.query("state").map { _ in try request.choice("state", default: Job.State.dead) }
        return try JSONBody.response(["jobs": try await jobs.list(state: state, by: caller)])
    }

    /// `POST /api/v1/admin/jobs/{job}/restart`
    func restart(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await jobs.restart(context.pathID("job"), by: try context.requirePrincipal().caller)
        return Response(status: .noContent)
    }

    /// `DELETE /api/v1/admin/jobs/{job}`
    func deleteDead(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await jobs.deleteDead(context.pathID("job"), by: try context.requirePrincipal().caller)
        return Response(status: .noContent)
    }
}
