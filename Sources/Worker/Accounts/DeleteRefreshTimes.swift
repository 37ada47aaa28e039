import Shared

/// Removes the times of refreshes that cannot be repeated any more: they say when somebody was there.
struct DeleteRefreshTimes: JobHandler {
    static let kind = "deleteRefreshTimes"

    let sessions: any SessionStore

    var kind: String { Self.kind }
    /// Few, for the next occasion comes in a minute and does the same.
    let maximumAttempts = 3
    let deadline = Duration.seconds(60)

    func run(_ context: JobContext) async throws {
        try await sessions.clearRepeats(at: context.now)
    }
}
