import Foundation

/// Who may cast, as the store knew when it was asked.
struct BallotAdmission {
    /// Whose each session is and until when; sessions that were ended are not in it.
    var sessions: [Session.ID: (userID: User.ID, expires: Date)] = [:]
    /// Who of the voters is in the team they vote in.
    var memberships: Set<Member> = []
    /// Members of each team.
    var memberCounts: [Team.ID: Int] = [:]

    /// A user in a team.
    struct Member: Hashable {
        let teamID: Team.ID
        let userID: User.ID
    }

    /// Why the voter may not cast this ballot; nil if they may.
    func refusal(of ballot: Ballot, at now: Date) -> BallotOutcome? {
        guard let session = sessions[ballot.sessionID], session.userID == ballot.userID, session.expires > now
        else { return .sessionEnded }
        let member = Member(teamID: ballot.sprint.teamID, userID: ballot.userID)
        return memberships.contains(member) ? nil : .notAMember
    }

    /// Whether nobody is refused.
    func admitsAll(_ ballots: [Ballot], at now: Date) -> Bool {
        ballots.allSatisfy { refusal(of: $0, at: now) == nil }
    }
}
