package import Domain
package import Foundation
package import Storage

/// What members may read of their team's sprints. Every call that takes a member checks the membership.
package struct PublicationService: Sendable {
    let store: any Store
    let ballots: any BallotStore
    let ballotKeys: any BallotKeyStore
    private let sprints: SprintService
    private let memberships: MembershipCache
    let secret: BallotSecret

    /// Reads through `stores`; `sprints` first starts and closes sprints that are due.
    /// - Parameter secret: decrypts the feedback of running sprints, and makes the addresses of counts.
    package init(stores: Stores, sprints: SprintService, memberships: MembershipCache, secret: BallotSecret) {
        store = stores.rows
        ballots = stores.ballots
        ballotKeys = stores.ballotKeys
        self.sprints = sprints
        self.memberships = memberships
        self.secret = secret
    }

    /// Requires that the user is a member of the team.
    /// - Throws: `AppError.notFound` otherwise: to other users the team does not exist.
    @discardableResult
    package func requireMembership(of userID: User.ID, in teamID: Team.ID) async throws -> Membership {
        guard let membership = try await memberships.membership(of: userID, in: teamID) else {
            throw AppError.noSuchTeam
        }
        return membership
    }

    /// As `TeamRows.publicationNumber(of:)`.
    package func number(of teamID: Team.ID) async throws -> Int? {
        try await store.read { try $0.publicationNumber(of: teamID) }
    }

    /// A team's sprints in order of start, with whatever is published. For callers that have checked membership, or
    /// that serve what the team chose to share.
    package func publications(of teamID: Team.ID, matching filter: SprintFilter) async throws -> [Publication] {
        _ = try await sprints.runningSprint(of: teamID)
        return try await store.read { try $0.sprints(of: teamID, matching: filter) }.map(Publication.init)
    }

    /// One sprint by label.
    /// - Throws: `AppError.notFound`.
    package func publication(of teamID: Team.ID, label: SprintLabel) async throws -> Publication {
        _ = try await sprints.runningSprint(of: teamID)
        guard let record = try await store.read({ try $0.sprint(of: teamID, labelled: label) }) else {
            throw AppError(.notFound, "The team has no sprint \(label).", reason: .noSuchSprint)
        }
        return Publication(record)
    }

    /// The running sprint.
    package func currentPublication(of teamID: Team.ID) async throws -> Publication {
        let sprint = try await sprints.runningSprint(of: teamID)
        guard let record = try await store.sprint(sprint.key) else {
            throw AppError(.notFound, "The team has no sprint right now.", reason: .noSuchSprint)
        }
        return Publication(record)
    }

    /// The team's previous sprint; `nil` for the first. For callers that have checked membership.
    package func publication(before sprint: Sprint) async throws -> Publication? {
        try await store.read { try $0.sprint(of: sprint.teamID, endingAt: sprint.start) }.map(Publication.init)
    }

    /// Released feedback of a sprint, ordered by random id.
    /// - Throws: `AppError.forbidden` if the team restricts it to its leads.
    package func feedback(
        in publication: Publication, for membership: Membership, after: Feedback.ID? = nil, limit: Int
    ) async throws -> [Feedback] {
        guard try await mayReadFeedback(of: publication.sprint, membership) else {
            throw AppError(.forbidden, "In this team only leads can read the feedback.", reason: .leadsOnly)
        }
        guard publication.isPublished else { return [] }
        return try await ballots.feedback(
            of: publication.sprint.key, publishedNumber: publication.publishedNumber, secret: secret, after: after,
            limit: limit)
    }

    /// Released feedback of several sprints of one team by start; empty if the member may not read it.
    package func feedback(
        in publications: [Publication], for membership: Membership
    ) async throws -> [Date: [Feedback]] {
        let readers = try await readersNow(of: membership.teamID)
        let published =
            publications
            .filter { $0.isPublished && Self.mayRead(of: $0.sprint, membership, readersNow: readers) }
            .map { ($0.sprint.start, $0.publishedNumber) }
        guard !published.isEmpty else { return [:] }
        return try await ballots.feedback(
            teamID: membership.teamID, publishedNumbers: Dictionary(published) { first, _ in first }, secret: secret)
    }

    /// Whether this member may read a sprint's feedback (`Sprint.feedbackReaders(present:)`).
    package func mayReadFeedback(of sprint: Sprint, _ membership: Membership) async throws -> Bool {
        Self.mayRead(of: sprint, membership, readersNow: try await readersNow(of: membership.teamID))
    }

    private static func mayRead(
        of sprint: Sprint, _ membership: Membership, readersNow: Team.FeedbackReaders
    ) -> Bool {
        membership.role == .lead || sprint.feedbackReaders(present: readersNow) == .team
    }

    private func readersNow(of teamID: Team.ID) async throws -> Team.FeedbackReaders {
        try await store.team(teamID)?.settings.feedbackReaders ?? .leads
    }
}
