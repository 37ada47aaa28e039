import Domain
import Foundation
import Mongo
import Services
import Storage
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
            let found = Set(files.flatMap { $0.votersTexts.map { $0.text } })
            for voted in votings {
                #expect(found.isDisjoint(with: voted.texts), "a text is in the files")
            }
        }
    }

    @Test func `The files after the close do not link texts to the times of votes`() async throws {
        try await withVotes { server, voting, votings in
            voting.clock.now = TestTeam.firstMonday + 15 * TestTeam.day
            for voted in votings {
                _ = try await voting.sprints.runningSprint(of: voted.sprint.teamID)
            }
            let latest = CellStamp.latest(in: try await server.filesOnDisk())
            var linking = Linking()
            var found = 0
            for voted in votings {
                let stamps = voted.texts.map { latest[$0] }
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

    /// The latest stamp of the documents with a text, by text.
    /// - Returns: in hexadecimal, so that later ones compare as greater.
    static func latest(in files: [Data]) -> [String: String] {
        var latest: [String: String] = [:]
        for file in files {
            for (text, place) in file.votersTexts {
                var stamp = latest[text] ?? none
                let head = file[max(file.startIndex, place - reach)..<place]
                if let found = head.lastIndex(of: marker), head.endIndex - found > 8 {
                    stamp = max(stamp, head[(found + 1)...(found + 8)].hexadecimal)
                }
                latest[text] = stamp
            }
        }
        return latest
    }
}

extension Data {
    /// Everything that looks like a text of a voter, and where it begins. One search serves all texts: the files have
    /// hundreds of megabytes, and other tests wait for the same processors.
    fileprivate var votersTexts: [(text: String, place: Index)] {
        let start = Data(VotedSprint.textStart.utf8)
        var found: [(text: String, place: Index)] = []
        var rest = startIndex..<endIndex
        while let place = range(of: start, in: rest)?.lowerBound {
            found.append((String(decoding: self[place...].prefix(VotedSprint.textLength), as: UTF8.self), place))
            rest = (place + 1)..<endIndex
        }
        return found
    }
}
