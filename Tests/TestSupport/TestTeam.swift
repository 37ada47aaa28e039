import Crypto
package import Domain
package import Foundation
package import Services
package import Storage

/// A team with logged-in members, created directly in a store.
package struct TestTeam: Sendable {
    /// The key for the receipts of all test teams.
    package static let secret = BallotSecret(key: SymmetricKey(data: Array(repeating: UInt8(7), count: 32)))
    /// Secrets with a new token key each time.
    package static var secrets: Secrets { Secrets(jwt: SymmetricKey(size: .bits256), ballot: secret) }
    /// Monday 2026-01-05 in UTC, the start of sprint 2026/1.
    package static let firstMonday = Date(timeIntervalSince1970: 1_767_571_200)
    /// Seconds.
    package static let day: TimeInterval = 86_400

    /// The store of the team.
    package let stores: Stores
    /// The team as created.
    package let team: Team
    /// In the order in which they joined.
    package let members: [Principal]

    /// Creates a team. Sessions outlive every test.
    package static func make(
        in stores: Stores, members count: Int, settings: TeamSettings = TeamSettings()
    ) async throws -> TestTeam {
        let id = Team.ID.random()
        let team = Team(id: id, name: "Team \(id)", settings: settings)
        try await stores.insert(team)
        var members: [Principal] = []
        for _ in 0..<count {
            members.append(try await addMember(to: team.id, in: stores))
        }
        return TestTeam(stores: stores, team: team, members: members)
    }

    /// Adds a logged-in member.
    @discardableResult
    package static func addMember(to teamID: Team.ID, in stores: Stores) async throws -> Principal {
        let id = User.ID.random()
        let user = User(id: id, name: try UserName("u\(id)"), email: try EmailAddress("\(id)@example.org"))
        try await stores.insert(user)
        let session = Session(
            userID: id, device: "test", expires: firstMonday + 4_000 * day,
            lastUsed: CalendarDay(instant: firstMonday, in: .gmt))
        try await stores.insert(session)
        try await stores.add(Membership(teamID: teamID, userID: id))
        return Principal(userID: id, sessionID: session.id)
    }

    /// A ballot of a member.
    package func ballot(
        of member: Principal, in sprint: Sprint.Key, tenths: Int = 70, feedback: FeedbackText? = nil
    ) throws -> Ballot {
        Ballot(
            voter: Ballot.Voter(
                sessionID: member.sessionID, userID: member.userID, receipt: receipt(of: member, in: sprint)),
            sprint: sprint, happiness: try Happiness(tenths: tenths),
            feedback: try feedback.map { try SealedFeedback($0, in: sprint, secret: Self.secret) })
    }

    /// A member's receipt.
    package func receipt(of member: Principal, in sprint: Sprint.Key) -> Receipt {
        Receipt(secret: Self.secret, sprint: sprint, userID: member.userID)
    }
}
