import Foundation

/// Locations of a deleted account's remaining data: the parameters of the job that removes it.
///
/// It contains only ids and keys. The job may wait for a worker, and meanwhile neither the name nor the address of the
/// former user is stored with it. Data created later under the same address belongs to a new account and stays.
public struct AccountTraces: Hashable, Sendable, Codable {
    /// The `Job.kind` of the job.
    public static let jobKind = "removeAccountTraces"

    /// Identifies the user's jobs.
    let userID: User.ID
    /// The account's teams: with one member fewer, all remaining members may have voted.
    let teamIDs: [Team.ID]
    /// Invitations to the account's address, and by the account.
    let invitationIDs: [Invitation.ID]
    /// The registration for the account's address.
    let registrationID: Registration.ID?
    /// The account's picture in the object store.
    let picture: ProfilePicture.ID?
    /// The keys under which failed logins are counted.
    let failureKeys: [Data]

    /// The job that removes them, due at once.
    func removal(at now: Date) throws -> Job {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let payload = String(decoding: try encoder.encode(self), as: UTF8.self)
        return Job(kind: Self.jobKind, payload: payload, runAt: now)
    }
}
