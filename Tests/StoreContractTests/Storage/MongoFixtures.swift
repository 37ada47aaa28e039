import Crypto
import Domain
import Foundation
import Mongo
import Services
import Storage
import TestSupport
import Testing

/// A new database on a server, with the stores on it and direct access to the stored data.
struct MongoFixture {
    let stores: Stores
    let client: MongoClient
    let databaseName: String

    /// A migrated store on the server shared by all tests, or on another one.
    static func make(on server: MongoServer? = nil) async throws -> MongoFixture {
        let chosen: MongoServer
        if let server { chosen = server } else { chosen = try await MongoServer.shared }
        let name = MongoServer.uniqueDatabaseName()
        let stores = try StoreLocation.mongodb(uri: chosen.uri(database: name)).open()
        _ = try await stores.system.migrate()
        return MongoFixture(stores: stores, client: try chosen.client(database: name), databaseName: name)
    }

    /// All documents of a collection.
    func documents(of collection: String) async throws -> [BSONDocument] {
        try await client.run { try $0.collection(collection).find([:]) }
    }
}

/// A team's running sprint, and a member who may cast.
///
/// Stores do not compare a receipt with the voter, so one member can cast for as many users as a test needs: each
/// ballot has a receipt of its own.
struct MongoVoting {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    let stores: Stores
    let team: Team
    let sprint: Sprint
    let voter: User
    let session: Session

    static func make(
        in stores: Stores, threshold: Int = 3, policy: PublicationPolicy = .live
    ) async throws -> MongoVoting {
        let team = Team(name: "Team", settings: TeamSettings(threshold: threshold, policy: policy))
        try await stores.insert(team)
        let voter = User(name: try UserName("voter"), email: try EmailAddress("voter@example.org"))
        try await stores.insert(voter)
        try await stores.add(Membership(teamID: team.id, userID: voter.id))
        let session = Session(
            userID: voter.id, device: "test", expires: now.addingTimeInterval(86_400),
            lastUsed: CalendarDay(instant: now, in: .gmt))
        try await stores.insert(session)
        let start = now.addingTimeInterval(-86_400)
        let end = start.addingTimeInterval(14 * 86_400)
        let sprint = try await stores.start(
            Sprint(
                teamID: team.id, start: start, end: end, closes: end.addingTimeInterval(86_400),
                label: SprintLabel(year: 2027, number: 1), threshold: threshold, policy: policy))
        return MongoVoting(stores: stores, team: team, sprint: sprint, voter: voter, session: session)
    }

    /// The same in the team's next sprint, which is started.
    func startNext() async throws -> MongoVoting {
        let end = sprint.end.addingTimeInterval(14 * 86_400)
        let next = try await stores.start(
            Sprint(
                teamID: team.id, start: sprint.end, end: end, closes: end,
                label: SprintLabel(year: 2027, number: sprint.label.number + 1),
                threshold: sprint.threshold, policy: sprint.policy))
        return MongoVoting(stores: stores, team: team, sprint: next, voter: voter, session: session)
    }

    /// A ballot with the receipt of an unknown user.
    func ballot(tenths: Int = 70, feedback: String? = nil) throws -> Ballot {
        Ballot(
            voter: Ballot.Voter(
                sessionID: session.id, userID: voter.id,
                receipt: Receipt(secret: Self.secret, sprint: sprint.key, userID: .random())),
            sprint: sprint.key, happiness: try Happiness(tenths: tenths), feedback: try sealed(feedback))
    }

    /// The voter's own ballot.
    func ownBallot(feedback: String? = nil) throws -> Ballot {
        Ballot(
            voter: Ballot.Voter(
                sessionID: session.id, userID: voter.id,
                receipt: Receipt(secret: Self.secret, sprint: sprint.key, userID: voter.id)),
            sprint: sprint.key, happiness: try Happiness(tenths: 70), feedback: try sealed(feedback))
    }

    /// A request for a ballot paper, with the voter's session and the receipt of an unknown user.
    func paperRequest() throws -> BallotBoxEntry {
        let voter = try #require(try ballot().voter)
        let message = SecureBytes.random(count: BallotKey.signatureLength)
        return .request(
            PaperRequest(voter: voter, blindedMessage: message, secret: Self.secret))
    }

    /// A ballot with a new paper.
    func sealedBallot() throws -> Ballot {
        let key = BallotKey(sprint: sprint.key, publicKey: [1, 2, 3])
        return Ballot(
            paper: SpentPaper(try SignedPaper.random(), key: key), happiness: try Happiness(tenths: 70), feedback: nil)
    }

    private func sealed(_ feedback: String?) throws -> SealedFeedback? {
        try feedback.flatMap { try FeedbackText($0) }.map {
            try SealedFeedback($0, in: sprint.key, secret: Self.secret)
        }
    }

    static let secret = BallotSecret(key: SymmetricKey(data: Data(repeating: 7, count: 32)))
}
