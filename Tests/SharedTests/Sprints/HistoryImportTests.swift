import Domain
import Foundation
import Ports
import Storage
import TestSupport
import Testing

@testable import Services

/// Imported results in the store.
@Suite struct HistoryImportTests {
    /// In the first sprint of the test team.
    private static let clock = WallClock { TestTeam.firstMonday + TestTeam.day }
    private static let header = "sprint,start,end,happiness,votes,eligible\n"

    private func withImport(
        _ kind: StoreUnderTest, _ body: (Stores, TestTeam, (String, Bool) async throws -> Int) async throws -> Void
    ) async throws {
        try await kind.withStores { stores in
            let team = try await TestTeam.make(in: stores, members: 5)
            let history = HistoryImport(stores: stores, clock: Self.clock)
            try await body(stores, team) { lines, replacing in
                try await history.add(try HistoryFile(Self.header + lines), to: team.team.id, replacing: replacing)
            }
        }
    }

    private func labels(_ stores: Stores, _ team: TestTeam) async throws -> [String] {
        try await stores.sprints(of: team.team.id, matching: .all).map(\.sprint.label.description)
    }

    @Test(arguments: StoreUnderTest.all)
    func `Imported results are closed sprints with average, votes and people`(kind: StoreUnderTest) async throws {
        try await withImport(kind) { stores, team, add in
            let number = try await stores.publicationNumber(of: team.team.id)
            #expect(try await add(",2025-12-01,2025-12-14,7.5,4,9\n2025/20,2025-10-01,2025-10-31,6,3,8", false) == 0)
            let records = try await stores.sprints(of: team.team.id, matching: .all)
            #expect(records.map(\.sprint.label.description) == ["2025/20", "2025/24"])
            let publication = try #require(records.last.map(Publication.init))
            #expect(publication.sprint.isImported && publication.isClosed)
            #expect(publication.happiness == 7.5 && publication.votes == 4 && publication.eligible == 9)
            #expect(publication.distribution == nil && publication.sealed == nil)
            #expect(publication.sprint.end == publication.sprint.start + 14 * TestTeam.day)
            #expect(records.map(\.isCleared) == [true, true])
            #expect(try await stores.publicationNumber(of: team.team.id) != number)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `The team's own sprints go on after an import`(kind: StoreUnderTest) async throws {
        try await withImport(kind) { stores, team, add in
            _ = try await add(",2025-12-15,2026-01-05,7.5,4,9", false)
            let sprints = SprintService(stores: stores, secret: TestTeam.secret, clock: Self.clock)
            let running = try await sprints.runningSprint(of: team.team.id)
            // The import ends on the first day of the calendar's sprint, which is therefore a day shorter.
            #expect(running.start == TestTeam.firstMonday + TestTeam.day && !running.isImported)
            #expect(running.end == TestTeam.firstMonday + 14 * TestTeam.day)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An earlier import is replaced, counted sprints stay`(kind: StoreUnderTest) async throws {
        try await withImport(kind) { stores, team, add in
            let sprints = SprintService(stores: stores, secret: TestTeam.secret, clock: Self.clock)
            let running = try await sprints.runningSprint(of: team.team.id)
            _ = try await add(",2025-12-01,2025-12-14,7.5,4,9\n,2025-12-15,2025-12-28,7.5,4,9", false)
            #expect(try await add(",2025-12-15,2025-12-28,6,4,9", true) == 2)
            let records = try await stores.sprints(of: team.team.id, matching: .all)
            #expect(records.map { $0.state.published.happiness } == [6, nil])
            #expect(records.last?.sprint == running)
            let history = HistoryImport(stores: stores, clock: Self.clock)
            #expect(try await history.removeAll(of: team.team.id) == 1)
            #expect(try await labels(stores, team) == ["2026/1"])
        }
    }

    /// Lines, and what is said about them.
    private static let unfit: [(text: String, reason: String)] = [
        (",2025-12-15,2025-12-28,7.5,2,9", "fewer than 3"),
        (",2025-12-15,2026-01-06,7.5,3,9", "isn’t over yet"),
        (",2025-12-15,2026-01-05,7.5,3,9", "Line 3 overlaps sprint 2026/1"),
        (",2025-11-15,2025-12-01,7.5,3,9", "Line 2 overlaps line 3"),
        (",2025-09-15,2025-10-01,7.5,3,9", "overlaps sprint 2025/20, which the team has already. To replace"),
        ("2025/20,2025-11-15,2025-11-20,7.5,3,9", "another sprint 2025/20"),
        (
            "2025/9,2025-11-15,2025-11-20,7.5,3,9\n2025/9,2025-11-22,2025-11-22,7,3,9",
            "Line 4 has the same name as line 3: 2025/9"
        ),
        ("2026/1,2025-11-15,2025-11-20,7.5,3,9", "own sprints will have the name 2026/1"),
    ]

    @Test(arguments: StoreUnderTest.all, unfit)
    func `If one result cannot be added, none is`(
        kind: StoreUnderTest, line: (text: String, reason: String)
    ) async throws {
        try await withImport(kind) { stores, team, add in
            let sprints = SprintService(stores: stores, secret: TestTeam.secret, clock: Self.clock)
            _ = try await sprints.runningSprint(of: team.team.id)
            _ = try await add("2025/20,2025-10-01,2025-10-31,6,3,8", false)
            let before = try await labels(stores, team)
            let error = try await #require(throws: AppError.self) {
                try await add(",2025-12-01,2025-12-14,7.5,4,9\n\(line.text)", false)
            }
            #expect(error.message.contains(line.reason))
            #expect(try await labels(stores, team) == before)
        }
    }

    /// Fortnights before the test team's first sprint: the first is the latest.
    private static func lines(_ fortnights: ClosedRange<Int>) throws -> String {
        let monday = try #require(CalendarDay("2026-01-05"))
        return fortnights.map { number in
            let start = monday.adding(days: -14 * number)
            return ",\(start),\(start.adding(days: 13)),7.5,4,9"
        }.joined(separator: "\n")
    }

    @Test(arguments: StoreUnderTest.all)
    func `An import of more sprints than lists show is refused, and nothing is stored`(
        kind: StoreUnderTest
    ) async throws {
        try await withImport(kind) { stores, team, add in
            // The running sprint has a place too, although it is not stored yet.
            let most = SprintFilter.maximumCount - 1
            let tooMany = try await #require(throws: AppError.self) {
                try await add(try Self.lines(1...(most + 1)), false)
            }
            #expect(tooMany.code == .unprocessable)
            #expect(
                tooMany.message.hasSuffix(
                    " would have 521 sprints, including the running one. Its history shows at most 520. "
                        + "Please import only the newest 519."))
            #expect(try await labels(stores, team).isEmpty)

            #expect(try await add(try Self.lines(1...most), false) == 0)
            let sprints = SprintService(stores: stores, secret: TestTeam.secret, clock: Self.clock)
            _ = try await sprints.runningSprint(of: team.team.id)
            let full = try await labels(stores, team)
            #expect(full.count == SprintFilter.maximumCount)
            let oneMore = try await #require(throws: AppError.self) {
                try await add(try Self.lines((most + 1)...(most + 1)), false)
            }
            #expect(oneMore.message.hasSuffix("It has no room for more."))
            #expect(try await labels(stores, team) == full)
            // What is replaced makes room.
            #expect(try await add(try Self.lines(2...(most + 1)), true) == most)
        }
    }

    @Test func `A day that the team's zone skipped is refused`() async throws {
        try await StoreUnderTest.sqlite.withStores { stores in
            let team = try await TestTeam.make(
                in: stores, members: 3, settings: TeamSettings(timeZone: "Pacific/Apia"))
            let file = try HistoryFile(Self.header + ",2011-12-30,2011-12-30,7,3,8")
            let error = try await #require(throws: AppError.self) {
                try await HistoryImport(stores: stores, clock: Self.clock)
                    .add(file, to: team.team.id, replacing: false)
            }
            #expect(error.message == "Line 2: there was no such day in Pacific/Apia.")
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Results of one week number get suffixes`(kind: StoreUnderTest) async throws {
        try await withImport(kind) { stores, team, add in
            _ = try await add(",2025-11-24,2025-11-30,6,3,8", false)
            _ = try await add(",2025-12-01,2025-12-02,6,3,8\n,2025-12-03,2025-12-07,6,3,8", false)
            #expect(try await labels(stores, team) == ["2025/24", "2025/24b", "2025/24c"])
        }
    }
}
