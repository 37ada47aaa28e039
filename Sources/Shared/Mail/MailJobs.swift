import Foundation

/// Asks the worker for mails. Nothing is sent here, and nobody waits for a mail server: a job is stored, and once it is,
/// the mail leaves, whatever process dies.
///
/// No job has a dedupe key. A key lasts as long as its job is kept, days after it is done, and a second mail asked for
/// within that time is a wish and no repetition. Who may ask how often is for the services to say.
///
/// Every call may throw `AppError.storeUnavailable`; then there will be no mail.
public struct MailJobs: Sendable {
    private let jobs: any JobStore
    private let clock: WallClock

    /// - Parameter clock: a mail is due when it is asked for.
    public init(jobs: any JobStore, clock: WallClock) {
        self.jobs = jobs
        self.clock = clock
    }

    /// A link to choose a new password. For an id that no user has the job is the same, and no mail follows.
    public func passwordReset(of userID: User.ID) async throws {
        try await enqueue(.passwordReset, UserMailPayload(userID: userID))
    }

    /// A link to confirm `User.pendingEmail`, to that address.
    public func emailChange(of userID: User.ID) async throws {
        try await enqueue(.emailChange, UserMailPayload(userID: userID))
    }

    /// A link to accept an invitation.
    public func invitation(_ id: Invitation.ID) async throws {
        try await enqueue(.invitation, InvitationMailPayload(invitationID: id))
    }

    /// A link to confirm a registration.
    public func registration(_ id: Registration.ID) async throws {
        try await enqueue(.registration, RegistrationMailPayload(registrationID: id))
    }

    private func enqueue(_ kind: MailJobKind, _ payload: some Encodable) async throws {
        _ = try await jobs.enqueue(try job(kind, payload))
    }

    private func job(_ kind: MailJobKind, _ payload: some Encodable) throws -> Job {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(payload), as: UTF8.self)
        return Job(kind: kind.rawValue, payload: text, runAt: clock.now)
    }
}

/// News of what was done to an account: jobs for a store to enqueue in the transaction that does it, so that its owner
/// hears of it whatever process dies.
extension MailJobs {
    /// The password was changed.
    public func passwordChanged(of userID: User.ID) throws -> Job {
        try job(.passwordChanged, UserMailPayload(userID: userID))
    }

    /// The address was changed; to the old one.
    public func emailChanged(of userID: User.ID, from oldEmail: String) throws -> Job {
        try job(.emailChanged, EmailChangedMailPayload(userID: userID, oldEmail: oldEmail))
    }

    /// The account can be logged in to through an OpenID provider.
    /// - Parameter provider: what the settings call it.
    public func identityLinked(of userID: User.ID, provider: String) throws -> Job {
        try job(.identityLinked, IdentityLinkedMailPayload(userID: userID, provider: provider))
    }
}
