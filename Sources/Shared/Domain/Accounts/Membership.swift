/// A user's membership in a team.
package struct Membership: Hashable, Sendable {
    /// The permissions of a user in one team.
    package enum Role: String, Sendable, Codable, CaseIterable {
        /// Manages the team.
        case lead
        /// Votes and reads.
        case member
    }

    package let teamID: Team.ID
    package let userID: User.ID
    /// The permissions of the user in the team.
    package var role: Role

    /// By default an ordinary member.
    package init(teamID: Team.ID, userID: User.ID, role: Role = .member) {
        self.teamID = teamID
        self.userID = userID
        self.role = role
    }
}
