import Crypto
import Domain
import Foundation
import Logging
import Services
import Storage
import TestSupport
import Testing

/// The product's services on one store, and members who log in and vote one after the other.
struct Voting {
    static let secret = BallotSecret(key: SymmetricKey(data: Array(repeating: UInt8(7), count: 32)))

    let stores: Stores
    let clock: SettableClock
    let sprints: SprintService
    private let logins: LoginService
    private let ballots: BallotService
    private let box: BallotBox

    /// Runs `body` with the services on `stores`.
    static func with(_ stores: Stores, _ body: (Voting) async throws -> Void) async throws {
        let voting = try Voting(stores: stores)
        defer { voting.box.close() }
        try await body(voting)
    }

    private init(stores: Stores) throws {
        self.stores = stores
        clock = SettableClock(TestTeam.firstMonday + TestTeam.day)
        let secrets = Secrets(jwt: SymmetricKey(size: .bits256), ballot: Self.secret)
        let memberships = MembershipCache(stores: stores, clock: clock.wall)
        sprints = SprintService(stores: stores, secret: Self.secret, clock: clock.wall)
        box = BallotBox(store: stores.ballots, partitions: 1, clock: clock.wall)
        ballots = BallotService(
            box: box,
            keys: BallotKeyService(
                store: stores.ballotKeys, secret: Self.secret, clock: clock.wall, logger: Logger(label: "attack")),
            stores: stores, sprints: sprints, memberships: memberships, secret: Self.secret,
            publicURL: "https://happiness.example.org", clock: clock.wall, logger: Logger(label: "attack"))
        logins = try LoginService(
            stores: stores, secrets: secrets, hasher: try PasswordHasher(cost: 4), lifetimes: SessionLifetimes(),
            memberships: memberships, clock: clock.wall)
    }

    /// A new team whose members log in and vote with a text a minute later, one after the other. One more member does
    /// not vote, so that the sprint stays open.
    func round(people count: Int, settings: TeamSettings = TeamSettings()) async throws -> VotedSprint {
        let id = Team.ID.random()
        try await stores.insert(Team(id: id, name: "Team \(id)", settings: settings))
        let sprint = try await sprints.runningSprint(of: id)
        _ = try await addMember(to: id)
        var voters: [VotedSprint.Voter] = []
        for _ in 0..<count {
            let user = try await addMember(to: id)
            clock.advance(by: 60)
            let logIn = try await logins.logIn(verified: user, device: "a browser", lifetime: .browser)
            clock.advance(by: 60)
            // Contains a random word, so that sorting the texts does not sort the members.
            let text = VotedSprint.textStart + UUID().uuidString
            try await ballots.cast(
                by: Principal(userID: user.id, sessionID: logIn.sessionID), in: id, for: .label(sprint.label),
                happiness: try Happiness(tenths: .random(in: 0...10) * 10), feedback: try FeedbackText(text))
            voters.append(VotedSprint.Voter(userID: user.id, sessionID: logIn.sessionID, text: text))
        }
        return VotedSprint(sprint: sprint, voters: voters)
    }

    /// A new team whose members get ballot papers, one after the other, and then cast sealed ballots.
    /// - Parameters:
    ///   - isDirect: each ballot directly follows its paper; otherwise all members have theirs before the first ballot,
    ///     and cast in another order.
    ///   - observe: is called after each request, as who reads the log of changes sees each commit.
    func sealedRound(
        people count: Int, isDirect: Bool, observe: (SealedSprint) async throws -> Void = { _ in }
    ) async throws -> SealedSprint {
        let id = Team.ID.random()
        try await stores.insert(Team(id: id, name: "Team \(id)"))
        let sprint = try await sprints.runningSprint(of: id)
        _ = try await addMember(to: id)
        // Each has a different value, so that a value names its voter.
        let tenths = Array((1...100).shuffled().prefix(count))
        var voted = SealedSprint(sprint: sprint, voters: [])
        for value in tenths {
            let user = try await addMember(to: id)
            voted.voters.append(SealedSprint.Voter(userID: user.id, tenths: value))
        }
        var papers: [(voter: SealedSprint.Voter, cast: () async throws -> Void)] = []
        for voter in voted.voters {
            let cast = try await issue(to: voter, in: sprint)
            try await observe(voted)
            if isDirect {
                try await cast()
                try await observe(voted)
            } else {
                papers.append((voter, cast))
            }
        }
        for paper in papers.shuffled() {
            try await paper.cast()
            try await observe(voted)
        }
        return voted
    }

    /// Gets a member's paper.
    /// - Returns: casts the ballot with it.
    private func issue(to voter: SealedSprint.Voter, in sprint: Sprint) async throws -> () async throws -> Void {
        let user = try #require(try await stores.user(voter.userID))
        let logIn = try await logins.logIn(verified: user, device: "a browser", lifetime: .browser)
        let principal = Principal(userID: user.id, sessionID: logIn.sessionID)
        let key = try await ballots.ballotKey(for: principal, in: sprint.teamID, for: sprint.label)
        let paper = try BlindedPaper(publicKey: key.publicKey)
        let signature = try paper.signature(
            from: try await ballots.issuePaper(
                to: principal, in: sprint.teamID, for: sprint.label, blindedMessage: Array(paper.blindedMessage)))
        return {
            try await ballots.castSealed(
                paper.paper, signature: Array(signature), keyID: key.id,
                happiness: try Happiness(tenths: voter.tenths), feedback: nil)
        }
    }

    private func addMember(to teamID: Team.ID) async throws -> User {
        let id = User.ID.random()
        let user = User(id: id, name: try UserName("u\(id)"), email: try EmailAddress("\(id)@example.org"))
        try await stores.insert(user)
        try await stores.add(Membership(teamID: teamID, userID: id))
        return user
    }
}

/// A sprint with sealed ballots.
struct SealedSprint {
    struct Voter {
        let userID: User.ID
        let tenths: Int
    }

    let sprint: Sprint
    /// In the order in which they got their papers.
    var voters: [Voter]

    /// The member with this receipt. An attacker with `BALLOT_SECRET` can tell.
    func owner(of receipt: [UInt8]) -> Voter? {
        voters.first { Receipt(secret: Voting.secret, sprint: sprint.key, userID: $0.userID).bytes == receipt }
    }
}

/// A sprint with ballots.
struct VotedSprint {
    struct Voter {
        let userID: User.ID
        let sessionID: Session.ID
        let text: String
    }

    /// How each text begins. A random UUID follows.
    static let textStart = "I write "
    /// Bytes of a text.
    static let textLength = textStart.utf8.count + 36

    let sprint: Sprint
    /// In the order of their votes.
    let voters: [Voter]

    /// Texts in the order in which they were written.
    var texts: [String] { voters.map(\.text) }

    /// The correct texts for an order of members.
    func texts(inOrderOf sessions: [String]) -> [String] {
        sessions.compactMap { session in voters.first { $0.sessionID.description == session }?.text }
    }
}
