import Domain
import Services
import Storage

/// Deletes a deleted team's remaining data.
struct PurgeDeletedTeams: JobHandler {
    let store: any Store

    var kind: String { DeletedTeam.jobKind }
    /// About three hours: nothing else repeats this.
    let maximumAttempts = 30
    /// Ten years of sprints of a large team.
    let deadline = Duration.seconds(300)
    let isDeletedWhenDone = true

    func run(_ context: JobContext) async throws {
        try await store.finishDeletion(of: context.parameters(as: DeletedTeam.self).teamID)
    }
}
