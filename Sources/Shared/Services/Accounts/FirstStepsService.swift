package import Domain

/// The remaining first steps of a new team's lead. Derived from stored data, so nothing has to be ticked.
package struct FirstSteps: Hashable, Sendable {
    /// People who make results possible and anonymous, the lead not counted.
    package static let peopleWanted = 3

    package let teamID: Team.ID
    package let teamName: String
    /// Other members and pending invitations, at most `peopleWanted`.
    package let people: Int
    /// Whether a reminder was sent as a test.
    package let hasTestedReminder: Bool
    /// Whether the lead has voted.
    package let hasVoted: Bool

    /// Whether nothing is left to do.
    package var isDone: Bool { people >= Self.peopleWanted && hasTestedReminder && hasVoted }

    /// - Parameter people: other members and pending invitations, at most `peopleWanted`.
    package init(teamID: Team.ID, teamName: String, people: Int, hasTestedReminder: Bool, hasVoted: Bool) {
        self.teamID = teamID
        self.teamName = teamName
        self.people = people
        self.hasTestedReminder = hasTestedReminder
        self.hasVoted = hasVoted
    }
}

/// Finds what a lead of a new team still has to do.
package struct FirstStepsService: Sendable {
    /// Deliveries in which the test is looked for: a new team has few.
    private static let recentDeliveries = 50

    private let sprints: any SprintStore
    private let invitations: any InvitationStore
    private let deliveries: any DeliveryStore
    private let ballots: BallotService

    /// - Parameter ballots: knows whether the lead has voted.
    package init(stores: Stores, ballots: BallotService) {
        sprints = stores.sprints
        invitations = stores.invitations
        deliveries = stores.deliveries
        self.ballots = ballots
    }

    /// The steps of a lead.
    /// - Returns: `nil` if nothing is left to do, or the team is past its first sprint: then it has found its way.
    package func steps(of userID: User.ID, leading team: Team) async throws -> FirstSteps? {
        let sprints = try await sprints.list(teamID: team.id, matching: .all).filter { !$0.sprint.isImported }
        guard sprints.count <= 1 else { return nil }
        let invited = try await invitations.list(teamID: team.id, after: nil, limit: FirstSteps.peopleWanted).count
        let sent = try await deliveries.list(teamID: team.id, after: nil, limit: Self.recentDeliveries)
        var hasVoted = false
        if let sprint = sprints.first?.sprint.key { hasVoted = try await ballots.hasVoted(userID, in: sprint) }
        let steps = FirstSteps(
            teamID: team.id, teamName: team.name,
            people: min(team.memberCount - 1 + invited, FirstSteps.peopleWanted),
            hasTestedReminder: sent.contains { $0.occasion.kind == .test }, hasVoted: hasVoted)
        return steps.isDone ? nil : steps
    }
}
