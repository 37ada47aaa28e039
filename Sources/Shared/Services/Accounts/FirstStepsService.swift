package import Domain
package import Storage

/// The remaining first steps of a new team's lead. Derived from stored data, so nothing has to be ticked.
package struct FirstSteps: Hashable, Sendable {
    /// People who make results possible and anonymous, the lead not counted.
    package static let peopleWanted = 3

    package let teamID: Team.ID
    package let teamName: String
    /// Other members and pending invitations, at most `peopleWanted`.
    package let people: Int
    /// What became of the test of the reminder.
    package let reminderTest: ReminderTest
    /// Whether the lead has voted.
    package let hasVoted: Bool

    /// Whether nothing is left to do.
    package var isDone: Bool { people >= Self.peopleWanted && reminderTest == .accepted && hasVoted }

    /// - Parameter people: other members and pending invitations, at most `peopleWanted`.
    package init(teamID: Team.ID, teamName: String, people: Int, reminderTest: ReminderTest, hasVoted: Bool) {
        self.teamID = teamID
        self.teamName = teamName
        self.people = people
        self.reminderTest = reminderTest
        self.hasVoted = hasVoted
    }
}

/// What became of the tests of a team's reminder; the best of them counts.
package enum ReminderTest: Comparable, Hashable, Sendable {
    /// Nobody has requested one.
    case open
    /// No push service and no mail server took it.
    case failed
    /// Its mail is in a folder, since this installation sends none.
    case kept
    /// It waits for the worker, or for a service.
    case onItsWay
    /// A push service or the mail server accepted it.
    case accepted
}

/// Finds what a lead of a new team still has to do.
package struct FirstStepsService: Sendable {
    /// Deliveries in which the test is looked for: a new team has few.
    private static let recentDeliveries = 50

    private let store: any Store
    private let ballots: BallotService
    private let seal: CountsSeal
    private let keepsMails: Bool

    /// - Parameters:
    ///   - ballots: knows whether the lead has voted.
    ///   - secret: decrypts the outcome of a test.
    ///   - keepsMails: `MailSettings.keepsMails`
    package init(stores: Stores, ballots: BallotService, secret: BallotSecret, keepsMails: Bool) {
        store = stores.rows
        self.ballots = ballots
        seal = CountsSeal(secret: secret)
        self.keepsMails = keepsMails
    }

    /// The steps of a lead.
    /// - Returns: `nil` if nothing is left to do, or the team is past its first sprint: then it has found its way.
    package func steps(of userID: User.ID, leading team: Team) async throws -> FirstSteps? {
        let sprints = try await store.read { try $0.sprints(of: team.id, matching: .all) }.filter {
            !$0.sprint.isImported
        }
        guard sprints.count <= 1 else { return nil }
        let invited = try await store.read {
            try $0.invitations(teamID: team.id, inviterID: nil, after: nil, limit: FirstSteps.peopleWanted)
        }.count
        var hasVoted = false
        if let sprint = sprints.first?.sprint.key { hasVoted = try await ballots.hasVoted(userID, in: sprint) }
        let steps = FirstSteps(
            teamID: team.id, teamName: team.name,
            people: min(team.memberCount - 1 + invited, FirstSteps.peopleWanted),
            reminderTest: try await reminderTest(of: team.id), hasVoted: hasVoted)
        return steps.isDone ? nil : steps
    }

    private func reminderTest(of teamID: Team.ID) async throws -> ReminderTest {
        var best = ReminderTest.open
        for delivery in try await store.read({ try $0.deliveries(of: teamID, after: nil, limit: Self.recentDeliveries) }
        )
        where delivery.occasion.kind == .test && best < .accepted {
            best = max(best, try await outcome(of: delivery))
        }
        return best
    }

    private func outcome(of test: Delivery) async throws -> ReminderTest {
        var counts = DeliveryCounts()
        for batch in try await store.read({ try $0.batches(of: test.id) }) {
            // Counts of another ballot secret are unknown.
            guard let some = seal.open(batch.sealedCounts, of: batch.key) else { continue }
            counts = counts + some
        }
        if counts.accepted > 0 || (counts.mailed > 0 && !keepsMails) { return .accepted }
        if counts.mailed > 0 { return .kept }
        return test.state == .sending ? .onItsWay : .failed
    }
}
