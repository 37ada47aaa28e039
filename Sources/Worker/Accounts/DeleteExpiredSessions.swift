import Services
import Storage

/// Deletes expired sessions: they are no longer valid, but still reveal who logged in with which device.
struct DeleteExpiredSessions: JobHandler {
    static let kind = "deleteExpiredSessions"

    let store: any Store

    var kind: String { Self.kind }
    /// A slow disk may need a while for a day's sessions.
    let deadline = Duration.seconds(120)

    func run(_ context: JobContext) async throws {
        try await store.write { try $0.deleteExpiredSessions(before: context.now) }
    }
}
