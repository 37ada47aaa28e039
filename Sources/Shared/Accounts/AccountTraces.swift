import Foundation

/// Where something is left of an account that was deleted: the parameters of the job that removes it.
///
/// Ids and keys only. The job may wait for a worker, and while it does, neither the name nor the address of somebody who
/// is gone is stored with it; and what is made later under the same address is somebody's new beginning and stays.
public struct AccountTraces: Hashable, Sendable, Codable {
    /// The `Job.kind` of the job.
    public static let jobKind = "removeAccountTraces"

    /// Leads to jobs.
    let userID: User.ID
    /// The teams the account was in: with one member less, all who are left may have voted.
    let teamIDs: [Team.ID]
    /// To the account's address, and by the account.
    let invitationIDs: [Invitation.ID]
    /// With the account's address.
    let registrationID: Registration.ID?
    /// Where the account's picture is kept.
    let picture: ProfilePicture.ID?
    /// What failed log-ins are counted under.
    let failureKeys: [Data]

    /// The job that removes them, due at once.
    func removal(at now: Date) throws -> Job {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let payload = String(decoding: try encoder.encode(self), as: UTF8.self)
        return Job(kind: Self.jobKind, payload: payload, runAt: now)
    }
}
