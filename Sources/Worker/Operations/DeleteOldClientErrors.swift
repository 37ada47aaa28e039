import Domain
import Services
import Storage

/// Deletes reported errors that have not occurred for a long time: they are fixed or no longer of interest.
struct DeleteOldClientErrors: JobHandler {
    static let kind = "deleteOldClientErrors"

    let store: any Store

    var kind: String { Self.kind }
    /// There are a thousand at most.
    let deadline = Duration.seconds(60)

    func run(_ context: JobContext) async throws {
        let today = ClientErrorGroup.day(at: context.now)
        try await store.write {
            try $0.deleteClientErrors(unseenSince: today.adding(days: -ClientErrorService.retentionDays))
        }
    }
}
