import Commitments
import Crypto
import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// Instants of the tests: whole seconds, so that both stores return exactly what was stored.
enum Instants {
    /// Monday 2026-01-05, the start of the sprints created by `makeSprint`.
    static let start = Date(timeIntervalSince1970: 1_767_571_200)
    /// An instant during that sprint.
    static let now = start + 3 * day
    /// Seconds.
    static let day: TimeInterval = 86_400
}

/// A user with a session, ready to vote.
struct Voter: Sendable {
    static let secret = BallotSecret(key: SymmetricKey(data: Array(repeating: UInt8(7), count: 32)))

    let user: User
    let session: Session

    /// A ballot of the voter.
    func ballot(in sprint: Sprint, tenths: Int = 70, feedback: String? = nil) throws -> Ballot {
        Ballot(
            voter: Ballot.Voter(
                sessionID: session.id, userID: user.id, receipt: receipt(in: sprint)),
            sprint: sprint.key, happiness: try Happiness(tenths: tenths),
            feedback: try feedback.flatMap { try FeedbackText($0) }.map {
                try SealedFeedback($0, in: sprint.key, secret: Self.secret)
            })
    }

    /// The voter's receipt in a sprint.
    func receipt(in sprint: Sprint) -> Receipt {
        Receipt(secret: Self.secret, sprint: sprint.key, userID: user.id)
    }
}

extension Stores {
    /// A user with this name, or a unique one.
    func makeUser(_ name: String? = nil) async throws -> User {
        let id = User.ID.random()
        let name = name ?? "user-\(id)"
        let user = User(id: id, name: try UserName(name), email: try EmailAddress("\(id)@example.org"))
        try await insert(user)
        return user
    }

    /// A team with this name, or a unique one.
    func makeTeam(_ name: String? = nil, settings: TeamSettings = TeamSettings()) async throws -> Team {
        let id = Team.ID.random()
        let team = Team(id: id, name: name ?? "team-\(id)", settings: settings)
        try await insert(team)
        return team
    }

    /// A session that outlives every test.
    func makeSession(of user: User, expires: Date = Instants.now + 30 * Instants.day) async throws -> Session {
        let day = try #require(CalendarDay("2026-01-08"))
        let session = Session(userID: user.id, device: "test", expires: expires, lastUsed: day)
        try await insert(session)
        return session
    }

    /// A user with a session who is in no team.
    func makeStranger() async throws -> Voter {
        let user = try await makeUser()
        return Voter(user: user, session: try await makeSession(of: user))
    }

    /// Members with a session each.
    func makeVoters(_ count: Int, in team: Team) async throws -> [Voter] {
        var voters: [Voter] = []
        for _ in 0..<count {
            let voter = try await makeStranger()
            try await add(Membership(teamID: team.id, userID: voter.user.id))
            voters.append(voter)
        }
        return voters
    }

    /// Starts a two-week sprint.
    func makeSprint(
        of team: Team, start: Date = Instants.start, label: SprintLabel = SprintLabel(year: 2026, number: 1),
        threshold: Int = 3, policy: PublicationPolicy = .live
    ) async throws -> Sprint {
        try await self.start(.fortnight(of: team.id, start: start, label: label, threshold: threshold, policy: policy))
    }

    /// Casts ballots in one call.
    func cast(_ ballots: [Ballot], at now: Date = Instants.now) async throws -> [BallotOutcome] {
        let store = self.ballots
        return try await BlockingCall { try store.cast(ballots, at: now) }.value
    }

    /// The stored record of a sprint.
    func record(of sprint: Sprint) async throws -> SprintRecord {
        try #require(try await self.sprint(sprint.key))
    }

    /// The team's current state.
    func current(_ team: Team) async throws -> Team {
        try #require(try await self.team(team.id))
    }
}

/// A blocking call that runs outside the cooperative thread pool.
struct BlockingCall<Value: Sendable>: Sendable {
    private let body: @Sendable () throws -> Value

    init(_ body: @escaping @Sendable () throws -> Value) {
        self.body = body
    }

    /// Its result.
    var value: Value {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
            }
        }
    }
}

extension Sprint {
    /// Two weeks, closing at the end.
    static func fortnight(
        of teamID: Team.ID, start: Date = Instants.start, label: SprintLabel = SprintLabel(year: 2026, number: 1),
        threshold: Int = 3, policy: PublicationPolicy = .live
    ) -> Sprint {
        let end = start + 14 * Instants.day
        return Sprint(
            teamID: teamID, start: start, end: end, closes: end, label: label, threshold: threshold, policy: policy)
    }
}

extension PublicationState {
    /// Counts ballots with what hides their values.
    mutating func count(_ ballots: [Ballot], policy: PublicationPolicy, threshold: Int) {
        count(
            ballots.map(\.happiness), randomness: ballots.map(\.randomness).reduce(.zero, +), policy: policy,
            threshold: threshold)
    }
}

extension BallotOutcome {
    /// Whether the ballot was cast, whether or not it completed the sprint.
    var isCounted: Bool {
        if case .counted = self { true } else { false }
    }
}

/// Runs `body` concurrently for each number and returns the results in no particular order.
func concurrently<Value: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
        for number in 0..<count {
            group.addTask { try await body(number) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
    }
}

/// Fails unless `body` throws an `AppError` with this code and this reason.
func expectRejection(
    _ code: AppError.Code, reason: AppError.Reason, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("expected \(code.rawValue), nothing was thrown", sourceLocation: sourceLocation)
    } catch let error as AppError {
        #expect(error.code == code, sourceLocation: sourceLocation)
        #expect(error.reason == reason, sourceLocation: sourceLocation)
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
    }
}
