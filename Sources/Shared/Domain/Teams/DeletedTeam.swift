package import Foundation

/// Parameters of the job that deletes a deleted team's remaining data.
package struct DeletedTeam: Hashable, Sendable, Codable {
    /// The `Job.kind` of the job.
    package static let jobKind = "deleteTeamRemains"

    package let teamID: Team.ID

    /// Names one team's remaining data.
    package init(teamID: Team.ID) {
        self.teamID = teamID
    }

    /// The job that deletes it, due at once.
    package func removal(at now: Date) -> Job {
        Job(kind: Self.jobKind, payload: #"{"teamID":"\#(teamID)"}"#, runAt: now)
    }
}
