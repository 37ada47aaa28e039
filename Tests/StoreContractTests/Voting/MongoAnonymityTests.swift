import Domain
import Foundation
import Mongo
import Services
import Storage
import TestSupport
import Testing

/// An attacker learns nothing about ballots from the database's files that leads to a user or a time.
@Suite(.needsMongod) struct MongoAnonymityTests {
    private static let ballotCollections = ["userSprints", "spentPapers", "commitments", "happiness", "feedback"]

    @Test func `Ballot documents contain no time but their sprint's`() async throws {
        let (fixture, voting) = try await castBallots()
        let allowed = [voting.sprint.start, voting.sprint.end, voting.sprint.closes].map { BSONValue.date($0) }
        for name in Self.ballotCollections {
            let documents = try await fixture.documents(of: name)
            #expect(!documents.isEmpty)
            for value in documents.flatMap({ Self.leaves(of: .document($0)) }) {
                switch value {
                case .date: #expect(allowed.contains(value), "\(name) holds another time")
                // An ObjectId begins with the second of its creation; timestamps and UUIDs are reported as `other`.
                case .objectID, .other: Issue.record("\(name) holds a value that may tell a time")
                default: continue
                }
            }
        }
    }

    @Test func `Ballot documents belong to a team and to no user`() async throws {
        let (fixture, voting) = try await castBallots()
        for name in Self.ballotCollections {
            for document in try await fixture.documents(of: name) {
                #expect(document["team"]?.stringValue == voting.team.id.description)
                #expect(!Self.names(voting, document))
            }
        }
    }

    /// The account keeps the day on which an administrator has set its address.
    @Test func `A dump does not tell whether a person whose address has changed had voted`() async throws {
        let fixture = try await MongoFixture.make()
        let stores = fixture.stores
        let team = try await stores.makeTeam()
        let sprint = try await stores.makeSprint(of: team)
        let voters = try await stores.makeVoters(2, in: team)
        _ = try await stores.cast([try voters[0].ballot(in: sprint)])
        for (number, voter) in voters.enumerated() {
            let email = UserUpdate.NewEmail("new\(number)@example.org", secret: Voter.secret)
            try await stores.update(id: voter.user.id, UserUpdate(email: email))
            let receipts = try await fixture.documents(of: "userSprints")
            #expect(receipts.count == number + 2)
            #expect(receipts.count { $0["extra"] != nil } == number + 1)
            #expect(receipts.allSatisfy { $0["_id"]?.binaryValue?.count == 32 && $0["paper"] == nil })
        }
        // The one who had not voted still can.
        #expect(try await stores.cast([try voters[1].ballot(in: sprint)])[0].isCounted)
        #expect(try await stores.system.check().isEmpty)
    }

    @Test func `The oplog of a ballot names nobody`() async throws {
        let (fixture, voting) = try await castBallots()
        let oplog = try await MongoServer.shared.client(database: "local")
        let entries = try await oplog.run { database in
            var entries: [BSONDocument] = []
            try database.collection("oplog.rs").forEach([:]) { entry in
                let isBallot = Self.ballotCollections.contains { name in
                    Self.holds(entry.bytes, "\(fixture.databaseName).\(name)\0")
                }
                if isBallot { entries.append(entry) }
                return true
            }
            return entries
        }
        // It contains the ballots' transaction, with the text sealed.
        let receipt = Receipt(secret: MongoVoting.secret, sprint: voting.sprint.key, userID: voting.voter.id)
        #expect(entries.contains { Data($0.bytes).range(of: Data(receipt.bytes)) != nil })
        #expect(!entries.contains { Self.holds($0.bytes, "a feedback to be found") })
        for entry in entries { #expect(!Self.names(voting, entry)) }
    }

    @Test func `Feedback is stored in the order of its random IDs`() async throws {
        let fixture = try await MongoFixture.make()
        let voting = try await MongoVoting.make(in: fixture.stores)
        for index in 0..<20 {
            _ = try cast([voting.ballot(feedback: "number \(index)")], in: fixture.stores)
        }
        let natural = try await fixture.client.run { try $0.collection("feedback").find([:], sort: ["$natural": 1]) }
        let ids = natural.compactMap { $0["_id"]?.stringValue }
        #expect(ids.count == 20)
        #expect(ids == ids.sorted())
    }

    private func castBallots() async throws -> (MongoFixture, MongoVoting) {
        let fixture = try await MongoFixture.make()
        let voting = try await MongoVoting.make(in: fixture.stores)
        let own = try voting.ownBallot(feedback: "a feedback to be found")
        let others = try (0..<6).map { _ in try voting.ballot() }
        let outcomes = try cast([own] + others, in: fixture.stores)
        #expect(outcomes.allSatisfy { $0.isCounted })
        let papers = try fixture.stores.ballots.cast(
            [try voting.paperRequest(), .ballot(try voting.sealedBallot())], at: MongoVoting.now)
        #expect(papers == [.issued, .counted(mayComplete: true)])
        _ = try await fixture.stores.ballots.close(voting.sprint.key)
        return (fixture, voting)
    }

    private func cast(_ ballots: [Ballot], in stores: Stores) throws -> [BallotOutcome] {
        try stores.ballots.cast(ballots, at: MongoVoting.now)
    }

    private static func names(_ voting: MongoVoting, _ document: BSONDocument) -> Bool {
        [voting.voter.id.description, voting.session.id.description].contains { id in
            holds(document.bytes, id) || holds(document.bytes, [UInt8](hexadecimal: id) ?? [])
        }
    }

    private static func holds(_ bytes: [UInt8], _ text: String) -> Bool {
        holds(bytes, Array(text.utf8))
    }

    private static func holds(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        Data(bytes).range(of: Data(part)) != nil
    }

    private static func leaves(of value: BSONValue) -> [BSONValue] {
        switch value {
        case .document(let document): document.flatMap { leaves(of: $0.value) }
        case .array(let values): values.flatMap(leaves)
        default: [value]
        }
    }
}
