package import Foundation

/// Locations of a deleted account's remaining data: the parameters of the job that removes it.
///
/// It contains only ids and keys. The job may wait for a worker, and meanwhile neither the name nor the address of the
/// former user is stored with it. Data created later under the same address belongs to a new account and stays.
package struct AccountTraces: Hashable, Sendable, Codable {
    /// The `Job.kind` of the job.
    package static let jobKind = "removeAccountTraces"

    /// Identifies the user's jobs.
    package let userID: User.ID
    /// The account's teams: with one member fewer, all remaining members may have voted.
    package let teamIDs: [Team.ID]
    /// Invitations to the account's address, and by the account.
    package let invitationIDs: [Invitation.ID]
    /// The registration for the account's address.
    package let registrationID: Registration.ID?
    /// The account's picture in the object store.
    package let picture: ProfilePicture.ID?
    /// The keys under which failed logins are counted.
    package let failureKeys: [Data]

    /// Names one account's remaining data.
    package init(
        userID: User.ID, teamIDs: [Team.ID], invitationIDs: [Invitation.ID], registrationID: Registration.ID?,
        picture: ProfilePicture.ID?, failureKeys: [Data]
    ) {
        self.userID = userID
        self.teamIDs = teamIDs
        self.invitationIDs = invitationIDs
        self.registrationID = registrationID
        self.picture = picture
        self.failureKeys = failureKeys
    }

    /// The job that removes them, due at once.
    package func removal(at now: Date) throws -> Job {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let payload = String(decoding: try encoder.encode(self), as: UTF8.self)
        return Job(kind: Self.jobKind, payload: payload, runAt: now)
    }
}
