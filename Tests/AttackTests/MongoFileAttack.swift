import Foundation
import Mongo
import Services
import TestSupport
import Testing

/// An attacker has a copy of MongoDB's files, but not `BALLOT_SECRET`.
///
/// WiredTiger writes the commit time into the cell of each document, journal and oplog keep removed data, and rewritten
/// data leaves its old block behind. An attacker who also knows when members voted (mongod's log names connections, a
/// colleague looks at the clock) assigns each text to the member who voted at its time.
@Suite struct MongoFileAttack {
    private static let rounds = 6
    private static let people = 6

    @Test func `The files during the sprint contain no text`() async throws {
        try await withVotes { server, _, votings in
            let files = try await server.filesOnDisk()
            for voted in votings {
                for text in voted.texts {
                    #expect(files.allSatisfy { $0.range(of: Data(text.utf8)) == nil }, "a text is in the files")
                }
            }
        }
    }

    @Test func `The files after the close do not link texts to the times of votes`() async throws {
        try await withVotes { server, voting, votings in
            voting.clock.now = TestTeam.firstMonday + 15 * TestTeam.day
            for voted in votings {
                _ = try await voting.sprints.runningSprint(of: voted.sprint.teamID)
            }
            let files = try await server.filesOnDisk()
            var linking = Linking()
            var found = 0
            for voted in votings {
                let stamps = voted.texts.map { CellStamp.latest(of: $0, in: files) }
                found += stamps.count { $0 != nil }
                let guess = zip(stamps, voted.texts)
                    .map { (stamp: $0 ?? CellStamp.none, text: $1) }
                    .sorted { $0 < $1 }
                    .map(\.text)
                linking.add(guess: guess, truth: voted.texts)
            }
            // Otherwise the attack itself would not work.
            #expect(found == Self.rounds * Self.people)
            linking.expectChance()
        }
    }

    @Test func `The oplog shows the texts of a sprint with one time only`() async throws {
        try await withVotes { server, voting, votings in
            voting.clock.now = TestTeam.firstMonday + 15 * TestTeam.day
            for voted in votings {
                _ = try await voting.sprints.runningSprint(of: voted.sprint.teamID)
            }
            let oplog = try server.client(database: "local")
            let entries = try await oplog.run { database in
                try database.collection("oplog.rs").find([:]).map { Data($0.bytes) }
            }
            for voted in votings {
                let holding = entries.filter { entry in
                    voted.texts.contains { entry.range(of: Data($0.utf8)) != nil }
                }
                #expect(holding.count == 1)
                #expect(voted.texts.allSatisfy { holding.first?.range(of: Data($0.utf8)) != nil })
            }
        }
    }

    /// Runs votes on a separate server whose files can be read.
    private func withVotes(_ body: (MongoServer, Voting, [VotedSprint]) async throws -> Void) async throws {
        let server = try await MongoServer.start(compression: false)
        defer { server.kill() }
        let stores = try StoreLocation.mongodb(uri: server.uri()).open()
        _ = try await stores.system.migrate()
        try await Voting.with(stores) { voting in
            var votings: [VotedSprint] = []
            for _ in 0..<Self.rounds {
                votings.append(try await voting.round(people: Self.people))
            }
            try await body(server, voting, votings)
        }
        try await stores.system.close()
    }
}

extension MongoServer {
    /// Everything in the data folder, after it was flushed: data files, journal, oplog.
    fileprivate func filesOnDisk() async throws -> [Data] {
        try await client(database: "admin").run { _ = try $0.adminCommand(["fsync": 1]) }
        let names = FileManager.default.enumerator(at: dataFolder, includingPropertiesForKeys: [.isRegularFileKey])
        return (names?.compactMap { $0 as? URL } ?? [])
            .compactMap { url in
                // Files of dropped collections may disappear during the search.
                guard (try? url.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true else { return nil }
                return try? Data(contentsOf: url)
            }
    }
}

/// WiredTiger's record of the commit next to a document.
private enum CellStamp {
    /// For a document without one: nothing is known about its time.
    static let none = ""
    /// Marker of a packed 64-bit number, followed by eight bytes (WiredTiger, `intpack_inline.h`).
    private static let marker: UInt8 = 0xE8
    /// A feedback's BSON document has its text within its first bytes, and is preceded by the cell's header.
    private static let reach = 400

    /// The stamp of the last document with the text, in the last file that contains one.
    /// - Returns: in hexadecimal, so that later ones compare as greater.
    static func latest(of text: String, in files: [Data]) -> String? {
        var stamp: String?
        for file in files {
            var end = file.endIndex
            while let place = file.range(of: Data(text.utf8), options: .backwards, in: file.startIndex..<end) {
                end = place.lowerBound
                let head = file[max(file.startIndex, place.lowerBound - reach)..<place.lowerBound]
                stamp = stamp ?? none
                if let found = head.lastIndex(of: marker), head.endIndex - found > 8 {
                    stamp = max(stamp ?? none, head[(found + 1)...(found + 8)].hexadecimal)
                }
            }
        }
        return stamp
    }
}
