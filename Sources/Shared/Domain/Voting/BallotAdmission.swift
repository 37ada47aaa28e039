package import Foundation

/// The facts that decide who may vote, as of the moment the store was asked.
package struct BallotAdmission {
    /// The user and expiry of each session; ended sessions are missing.
    package var sessions: [Session.ID: (userID: User.ID, expires: Date)] = [:]
    /// Voters who are members of the team they vote in.
    package var memberships: Set<Member> = []
    /// Number of members of each team.
    package var memberCounts: [Team.ID: Int] = [:]

    /// No facts yet; they are read in that transaction.
    package init() {}

    /// A user in a team.
    package struct Member: Hashable {
        package let teamID: Team.ID
        package let userID: User.ID

        /// Names one membership.
        package init(teamID: Team.ID, userID: User.ID) {
            self.teamID = teamID
            self.userID = userID
        }
    }

    /// The reason why the voter may not vote in this team; nil if they may.
    func rejection(of voter: Ballot.Voter, in teamID: Team.ID, at now: Date) -> BallotOutcome? {
        guard let session = sessions[voter.sessionID], session.userID == voter.userID, session.expires > now
        else { return .sessionEnded }
        return memberships.contains(Member(teamID: teamID, userID: voter.userID)) ? nil : .notAMember
    }

    /// Whether everyone who is logged in may vote. A ballot paper is its own admission.
    package func admitsAll(_ entries: [BallotBoxEntry], at now: Date) -> Bool {
        entries.allSatisfy { entry in
            entry.voter.map { rejection(of: $0, in: entry.sprint.teamID, at: now) == nil } ?? true
        }
    }
}
