import Domain
import Foundation
import Mongo
import Storage
import TestSupport
import Testing

/// An attacker has `BALLOT_SECRET` and sees every commit in its order: who got a ballot paper, and which value was counted.
///
/// They assume that ballots are cast in the order of the papers. That is right if each ballot directly follows its
/// paper, so this is the leak that the attack must find. It is no better than guessing if members get their papers first
/// and cast on another day.
@Suite struct SealedBallotAttack {
    private static let rounds = 8
    private static let people = 6

    /// As in the file `-wal` of SQLite, which has the changed pages of each commit.
    @Test(arguments: [true, false])
    func `The order of commits links only ballots that follow their papers`(isDirect: Bool) async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            try await Voting.with(stores) { voting in
                var linking = Linking()
                for _ in 0..<Self.rounds {
                    var trail = Trail()
                    let voted = try await voting.sealedRound(people: Self.people, isDirect: isDirect) { voted in
                        for voter in voted.voters {
                            let receipt = Receipt(
                                secret: Voting.secret, sprint: voted.sprint.key, userID: voter.userID)
                            if try await stores.ballots.contains(receipt) { trail.see(voter) }
                        }
                        trail.see(sum: try await stores.sprint(voted.sprint.key)?.state.current.sum)
                    }
                    #expect(trail.voters.count == voted.voters.count)
                    trail.add(to: &linking)
                }
                expect(linking, isDirect: isDirect)
            }
        }
    }

    @Test(arguments: [true, false])
    func `The oplog links only ballots that follow their papers`(isDirect: Bool) async throws {
        let server = try await MongoServer.shared
        let name = MongoServer.uniqueDatabaseName()
        let stores = try StoreLocation.mongodb(uri: server.uri(database: name)).open()
        _ = try await stores.system.migrate()
        var linking = Linking()
        try await Voting.with(stores) { voting in
            for _ in 0..<Self.rounds {
                let voted = try await voting.sealedRound(people: Self.people, isDirect: isDirect)
                let changes = try await server.client(database: "local").run { database in
                    // Other tests share the server, and reading all their changes takes a minute.
                    let collections: BSONValue = [.string("\(name).userSprints"), .string("\(name).happiness")]
                    return try database.collection("oplog.rs").find(["o.applyOps.ns": ["$in": collections]])
                        .flatMap { Self.changes(in: $0, of: name) }
                }
                var trail = Trail()
                for change in changes {
                    if let voter = change.receipt.flatMap(voted.owner) { trail.see(voter) }
                    if change.sprint?.contains("\(voted.sprint.teamID)") == true { trail.see(sum: change.sum) }
                }
                #expect(trail.voters.count == voted.voters.count, "the oplog has every receipt")
                trail.add(to: &linking)
            }
        }
        try await stores.system.close()
        expect(linking, isDirect: isDirect)
    }

    private func expect(_ linking: Linking, isDirect: Bool) {
        #expect(linking.texts == Self.rounds * Self.people, "the attacker has seen every ballot")
        if isDirect {
            #expect(linking.hits == linking.texts, "the attack works")
        } else {
            linking.expectChance()
        }
    }

    /// An insert of a receipt, or a change of a tally.
    private struct Change {
        let receipt: [UInt8]?
        let sprint: String?
        let sum: Int?
    }

    /// The changes to receipts and tallies in an entry of the oplog; the writes of a transaction are one entry.
    private static func changes(in entry: BSONDocument, of database: String) -> [Change] {
        let operations = entry["o"]?.documentValue?["applyOps"]?.arrayValue ?? []
        return operations.compactMap(\.documentValue).map { operation in
            let content = operation["o"]?.documentValue
            let isReceipt = operation["ns"]?.stringValue == "\(database).userSprints"
            let isTally = operation["ns"]?.stringValue == "\(database).happiness"
            return Change(
                receipt: isReceipt ? content?["_id"]?.binaryValue : nil,
                sprint: isTally ? operation["o2"]?.documentValue?["_id"]?.stringValue : nil,
                sum: content?["diff"]?.documentValue?["u"]?.documentValue?["sum"]?.intValue)
        }
    }
}

/// What an attacker notes down about a sprint.
private struct Trail {
    /// Members, in the order of their papers.
    private(set) var voters: [SealedSprint.Voter] = []
    /// The sums of all values, in the order of the ballots.
    private var sums = [0]

    mutating func see(_ voter: SealedSprint.Voter) {
        if !voters.contains(where: { $0.userID == voter.userID }) { voters.append(voter) }
    }

    mutating func see(sum: Int?) {
        if let sum, sum != sums.last { sums.append(sum) }
    }

    /// Guesses that the ballots are in the order of the papers.
    func add(to linking: inout Linking) {
        let values = zip(sums.dropFirst(), sums).map { $0 - $1 }
        linking.add(guess: values.map(String.init), truth: voters.map { String($0.tenths) })
    }
}
