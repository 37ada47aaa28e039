import Domain
import Foundation
import GRDB
import Services
import Storage
import TestSupport
import Testing

/// An attacker has a copy of the SQLite file, but not `BALLOT_SECRET`.
///
/// A table without rowids sorts only the pointers of a page: its cells stay in the order in which they were written.
/// The positions of texts in a page give the order of the ballots; the positions and expiry times of sessions give the
/// order of the members.
@Suite struct SQLiteFileAttack {
    /// Number of files with one team each. In a larger file, pages of several teams are split and rewritten, which
    /// hides some of the order.
    private static let rounds = 16
    private static let people = 8

    @Test func `A copy of the file during the sprint does not link texts to people`() async throws {
        try await attack { _, _ in }
    }

    @Test func `A copy of the file after the close does not link texts to people`() async throws {
        try await attack { voting, voted in
            voting.clock.now = TestTeam.firstMonday + 15 * TestTeam.day
            _ = try await voting.sprints.runningSprint(of: voted.sprint.teamID)
        }
    }

    private func attack(after step: (Voting, VotedSprint) async throws -> Void) async throws {
        var byPlace = Linking()
        var byExpiry = Linking()
        for _ in 0..<Self.rounds {
            try await TemporaryDirectory.with { directory in
                let path = directory.path("happiness.sqlite")
                let stores = try SQLiteStorage.open(path: path)
                _ = try await stores.system.migrate()
                try await Voting.with(stores) { voting in
                    let voted = try await voting.round(people: Self.people)
                    try await step(voting, voted)
                    let copy = try PageCopy(of: path)
                    let sessions = voted.voters.map(\.sessionID.description).sorted()
                    let guess = copy.order(of: voted.texts)
                    byPlace.add(guess: guess, truth: voted.texts(inOrderOf: copy.order(of: sessions)))
                    byExpiry.add(guess: guess, truth: voted.texts(inOrderOf: try copy.byExpiry(sessions)))
                }
                try await stores.system.close()
            }
        }
        byPlace.expectChance()
        byExpiry.expectChance()
    }
}

/// The file page by page, as copied by `.backup` of the program `sqlite3`.
private struct PageCopy {
    private static let pageSize = 4_096

    private let bytes: Data
    private let database: DatabaseQueue

    init(of path: String) throws {
        database = try DatabaseQueue(path: path + ".copy")
        try DatabaseQueue(path: path).backup(to: database)
        bytes = try Data(contentsOf: URL(fileURLWithPath: path + ".copy"))
    }

    /// Words in the order in which they were written into their page, which is filled from its end. Missing ones come
    /// last, in an arbitrary order.
    func order(of words: [String]) -> [String] {
        let places = words.map { word -> (page: Int, place: Int, word: String) in
            guard let place = bytes.range(of: Data(word.utf8))?.lowerBound else { return (.max, 0, word) }
            return (place / Self.pageSize, -(place % Self.pageSize), word)
        }
        return places.sorted { $0 < $1 }.map(\.word)
    }

    /// Sessions by expiry time; those with equal times in an arbitrary order.
    func byExpiry(_ sessions: [String]) throws -> [String] {
        try database.read { db in
            try String.fetchAll(db, sql: "SELECT id FROM sessions ORDER BY expires, id")
        }.filter(sessions.contains)
    }
}
