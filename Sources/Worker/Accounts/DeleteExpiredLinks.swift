import Domain
import Services
import Storage

/// Deletes what mailed links referred to but no one used: expired tokens, invitations that were not accepted, and
/// registrations that were not confirmed.
struct DeleteExpiredLinks: JobHandler {
    static let kind = "deleteExpiredLinks"

    let tokens: any OneTimeTokenStore
    let invitations: any InvitationStore
    let registrations: any RegistrationStore

    var kind: String { Self.kind }
    /// A slow disk may need a while for an hour's tokens.
    let deadline = Duration.seconds(120)

    func run(_ context: JobContext) async throws {
        try await tokens.deleteExpired(before: context.now)
        try await invitations.deleteExpired(before: Invitation.oldestDay(at: context.now))
        try await registrations.deleteExpired(before: context.now)
    }
}
