package import Domain
package import Foundation
package import Ports
package import Storage

/// Requests mails from the worker. Nothing is sent here, and callers do not wait for a mail server: each call stores a
/// job, and once stored, the mail will be sent even if a process crashes.
///
/// Only results and test mails have a dedupe key: one mail for each sprint and person, and one test in ten minutes. No
/// other job has one. A key lasts as long as its job is stored, days after it is done, and a second mail requested
/// within that time is intended. The services limit who may request how many.
///
/// Every call may throw `StorageError.unavailable`; then no mail will be sent.
package struct MailJobs: Sendable {
    private let jobs: any JobStore
    private let clock: WallClock

    /// - Parameter clock: a mail is due when it is requested.
    package init(jobs: any JobStore, clock: WallClock) {
        self.jobs = jobs
        self.clock = clock
    }

    /// Mails a link to choose a new password. For an unknown id the job looks the same, but no mail is sent.
    package func passwordReset(of userID: User.ID) async throws {
        try await enqueue(.passwordReset, UserMailPayload(userID: userID))
    }

    /// Mails a link to confirm `User.pendingEmail`, to that address.
    package func emailChange(of userID: User.ID) async throws {
        try await enqueue(.emailChange, UserMailPayload(userID: userID))
    }

    /// Mails a link to accept an invitation.
    package func invitation(_ id: Invitation.ID) async throws {
        try await enqueue(.invitation, InvitationMailPayload(invitationID: id))
    }

    /// Mails a link to confirm a registration.
    package func registration(_ id: Registration.ID) async throws {
        try await enqueue(.registration, RegistrationMailPayload(registrationID: id))
    }

    /// Mails an administrator that a person has no team.
    package func teamRequest(of userID: User.ID, to adminID: User.ID) async throws {
        try await enqueue(.teamRequest, TeamRequestMailPayload(userID: userID, adminID: adminID))
    }

    /// A mail with which an administrator tests whether mails arrive. A second one within `testInterval` is not stored:
    /// it has the same key.
    package func test(to userID: User.ID) throws -> Job {
        let slot = Int(clock.now.timeIntervalSince1970 / Self.testInterval)
        return Job(
            kind: MailJobKind.test.rawValue, payload: try Self.text(UserMailPayload(userID: userID)),
            dedupeKey: "\(MailJobKind.test.rawValue)|\(userID)|\(slot)", runAt: clock.now)
    }

    /// Seconds. Longer than a mail server that delays unknown senders takes.
    private static let testInterval: TimeInterval = 600

    private func enqueue(_ kind: MailJobKind, _ payload: some Encodable) async throws {
        _ = try await jobs.enqueue(try job(kind, payload))
    }

    private func job(_ kind: MailJobKind, _ payload: some Encodable) throws -> Job {
        Job(kind: kind.rawValue, payload: try Self.text(payload), runAt: clock.now)
    }

    private static func text(_ payload: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(payload), as: UTF8.self)
    }
}

/// Notices about changes to an account: jobs for a store to enqueue in the same transaction as the change, so that the
/// owner is notified even if a process crashes.
extension MailJobs {
    /// A notice that the password was changed.
    package func passwordChanged(of userID: User.ID) throws -> Job {
        try job(.passwordChanged, UserMailPayload(userID: userID))
    }

    /// A notice to the old address that it was changed.
    /// - Parameters:
    ///   - byAdmin: whether an administrator or the operator did it, and not the user.
    ///   - provider: the name in the settings of the OpenID provider whose new address it is; `nil` for none.
    package func emailChanged(
        of userID: User.ID, from oldEmail: String, byAdmin: Bool = false, provider: String? = nil
    ) throws -> Job {
        try job(
            .emailChanged,
            EmailChangedMailPayload(userID: userID, oldEmail: oldEmail, byAdmin: byAdmin, provider: provider))
    }

    /// A notice that the account can now be used through an OpenID provider.
    /// - Parameter provider: its name in the settings.
    package func identityLinked(of userID: User.ID, provider: String) throws -> Job {
        try job(.identityLinked, IdentityLinkedMailPayload(userID: userID, provider: provider))
    }
}

/// The result of a sprint, for those who want it.
extension MailJobs {
    /// `Job.kind` of the job that enqueues a sprint's mails. `SprintPayload`.
    package static let resultsKind = "resultMails"

    /// Enqueues the mails of a sprint; a second call changes nothing.
    package func results(of sprint: Sprint.Key, runAt: Date) async throws {
        let payload = SprintPayload(sprint)
        try await enqueue(Self.resultsKind, payload, dedupeKey: "\(payload.teamID)|\(payload.start)", runAt: runAt)
    }

    /// Mails the result to one person; a second call changes nothing.
    package func result(of sprint: SprintPayload, to userID: User.ID, runAt: Date) async throws {
        try await enqueue(
            MailJobKind.result.rawValue, ResultMailPayload(userID: userID, sprint: sprint),
            dedupeKey: "\(sprint.teamID)|\(sprint.start)|\(userID)", runAt: runAt)
    }

    private func enqueue(_ kind: String, _ payload: some Encodable, dedupeKey: String, runAt: Date) async throws {
        let text = try Self.text(payload)
        _ = try await jobs.enqueue(Job(kind: kind, payload: text, dedupeKey: "\(kind)|\(dedupeKey)", runAt: runAt))
    }
}
