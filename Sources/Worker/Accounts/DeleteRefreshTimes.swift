import Services
import Storage

/// Deletes the times of refreshes that can no longer be repeated: they reveal when a user was active.
struct DeleteRefreshTimes: JobHandler {
    static let kind = "deleteRefreshTimes"

    let store: any Store

    var kind: String { Self.kind }
    /// Few, since the schedule starts the same job again a minute later.
    let maximumAttempts = 3
    let deadline = Duration.seconds(60)

    func run(_ context: JobContext) async throws {
        try await store.write { try $0.deleteRepeats(at: context.now) }
    }
}
