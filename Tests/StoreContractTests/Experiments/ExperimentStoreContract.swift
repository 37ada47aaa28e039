import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

/// The contract of both stores for experiments.
@Suite struct ExperimentStoreContract {
    private static let wordings: [ReminderExperiment.Side: [MailLocale: ReminderText]] = [
        .a: [
            .german: ReminderText(title: "Hallo {team} 🎉", body: "'; DROP TABLE teams; -- \"$where\""),
            .english: ReminderText(body: "Body alone"),
        ],
        .b: [.german: ReminderText(title: "Title alone")],
    ]

    private func experiment(
        of team: Team, _ first: String = "2026-03-02", _ last: String = "2026-03-31",
        kind: ReminderOccasion.Kind = .first, wordings: [ReminderExperiment.Side: [MailLocale: ReminderText]] = wordings
    ) throws -> ReminderExperiment {
        ReminderExperiment(
            teamID: team.id, kind: kind, first: try day(first), last: try day(last), wordings: wordings)
    }

    private func day(_ text: String) throws -> CalendarDay { try #require(CalendarDay(text)) }

    @Test(arguments: StoreUnderTest.all)
    func `An experiment is read as it was stored`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let full = try experiment(of: team, kind: .second)
            let bare = try experiment(of: team, "2026-04-01", "2026-04-01", wordings: [:])
            try await stores.insert(full)
            try await stores.insert(bare)
            #expect(try await stores.read { try $0.experiment(full.id) } == full)
            #expect(try await stores.read { try $0.experiment(bare.id) } == bare)
            #expect(try await stores.read { try $0.experiment(.random()) } == nil)
            #expect(try await stores.read { try $0.experiments(of: team.id, limit: 10) } == [bare, full])
            #expect(try await stores.read { try $0.experiments(of: team.id, limit: 1) } == [bare])
            #expect(try await stores.read { try $0.experiments(of: .random(), limit: 10) }.isEmpty)
            #expect(try await stores.team(team.id) == team)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An experiment that shares a day with another of its team is refused`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, other) = (try await stores.makeTeam(), try await stores.makeTeam())
            try await stores.insert(try experiment(of: team))
            for (first, last) in [
                ("2026-03-31", "2026-04-30"), ("2026-02-01", "2026-03-02"), ("2026-03-10", "2026-03-11"),
                ("2026-01-01", "2026-12-31"),
            ] {
                await expectRejection(.conflict, reason: .experimentsOverlap) {
                    try await stores.insert(try experiment(of: team, first, last, kind: .second))
                }
            }
            try await stores.insert(try experiment(of: team, "2026-04-01", "2026-04-30"))
            try await stores.insert(try experiment(of: team, "2026-03-01", "2026-03-01"))
            try await stores.insert(try experiment(of: other))
            await expectRejection(.notFound, reason: .noSuchTeam) {
                try await stores.insert(try experiment(of: Team(name: "Nobody's")))
            }
            #expect(try await stores.read { try $0.experiments(of: team.id, limit: 10) }.count == 3)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many that share a day and are added at once, one is stored`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let stored = try await concurrently(12) { number in
                do {
                    let first = try day("2026-03-01").adding(days: number)
                    try await stores.insert(
                        ReminderExperiment(
                            teamID: team.id, kind: .first, first: first, last: first.adding(days: 20), wordings: [:]))
                    return true
                } catch let error as AppError where error.reason == .experimentsOverlap {
                    return false
                }
            }
            #expect(stored.count { $0 } == 1)
            #expect(try await stores.read { try $0.experiments(of: team.id, limit: 10) }.count == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An experiment is found by a day of its period`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, other) = (try await stores.makeTeam(), try await stores.makeTeam())
            let march = try experiment(of: team)
            let april = try experiment(of: team, "2026-04-01", "2026-04-30")
            for one in [march, april] { try await stores.insert(one) }
            for (text, expected) in [
                ("2026-03-01", nil), ("2026-03-02", march), ("2026-03-31", march), ("2026-04-01", april),
                ("2026-05-01", nil),
            ] {
                #expect(try await stores.read { try $0.experiment(of: team.id, on: day(text)) } == expected)
                #expect(try await stores.read { try $0.experiment(of: other.id, on: day(text)) } == nil)
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Experiments of all teams are listed by period, page by page`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            var expected: [ReminderExperiment] = []
            for _ in 0..<5 {
                let team = try await stores.makeTeam()
                let inside = try experiment(of: team)
                try await stores.insert(inside)
                try await stores.insert(try experiment(of: team, "2026-01-01", "2026-02-28"))
                try await stores.insert(try experiment(of: team, "2026-06-01", "2026-06-30"))
                expected.append(inside)
            }
            expected.sort { $0.id < $1.id }
            let period = try day("2026-03-31")...day("2026-05-31")
            var listed: [ReminderExperiment] = []
            while true {
                let page = try await stores.read { [listed] rows in
                    try rows.experiments(within: period, after: listed.last?.id, limit: 2)
                }
                if page.isEmpty { break }
                listed += page
            }
            #expect(listed == expected)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An experiment is shortened and never prolonged`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let stored = try experiment(of: team)
            try await stores.insert(stored)
            try await stores.write { try $0.shortenExperiment(stored.id, to: day("2026-04-30")) }
            #expect(try await stores.read { try $0.experiment(stored.id) } == stored)
            try await stores.write { try $0.shortenExperiment(stored.id, to: day("2026-03-10")) }
            let shortened = try #require(try await stores.read { try $0.experiment(stored.id) })
            #expect(try shortened.last == day("2026-03-10") && shortened.wordings == stored.wordings)
            try await stores.insert(try experiment(of: team, "2026-03-11", "2026-03-31"))
            try await stores.write { try $0.shortenExperiment(.random(), to: day("2026-03-10")) }
        }
    }

    // MARK: - Results

    @Test(arguments: StoreUnderTest.all)
    func `A sprint gets one result, and then no more members are recorded`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let stored = try experiment(of: try await stores.makeTeam())
            try await stores.insert(stored)
            let sprints = (0..<4).map { number in
                ExperimentSprint(
                    experimentID: stored.id, start: Instants.start + Double(14 * number) * Instants.day)
            }
            try await stores.write { try $0.noteMembers(MemberMarks([1, .max]), in: sprints[0]) }
            try await stores.write { try $0.noteMembers(MemberMarks([1, 7]), in: sprints[0]) }
            try await stores.write { try $0.noteMembers(MemberMarks([9]), in: sprints[3]) }
            #expect(try await stores.read { try $0.notedMembers(in: sprints[0]) }.values == [1, 7, .max])
            #expect(try await stores.read { try $0.notedMembers(in: sprints[1]) }.values.isEmpty)
            #expect(try await stores.read { try $0.experimentResults(of: stored.id) }.isEmpty)

            let measured = ExperimentResult.measured(
                ExperimentCounts(a: SideCounts(members: 20, voted: 11), b: SideCounts(members: 19, voted: 4)))
            let results = [measured, .withheld, .missed]
            for (sprint, result) in zip(sprints, results) {
                #expect(try await stores.write { try $0.record(result, of: sprint) })
                #expect(try await !stores.write { try $0.record(.withheld, of: sprint) })
                try await stores.write { try $0.noteMembers(MemberMarks([3]), in: sprint) }
                #expect(try await stores.read { try $0.notedMembers(in: sprint) }.values.isEmpty)
            }
            let expected = Dictionary(uniqueKeysWithValues: zip(sprints.map(\.start), results))
            #expect(try await stores.read { try $0.experimentResults(of: stored.id) } == expected)
            #expect(try await stores.read { try $0.experimentResults(of: .random()) }.isEmpty)
            #expect(try await stores.read { try $0.notedMembers(in: sprints[3]) }.values == [9])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Of many results at once, one is stored`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let stored = try experiment(of: try await stores.makeTeam())
            try await stores.insert(stored)
            let sprint = ExperimentSprint(experimentID: stored.id, start: Instants.start)
            let outcomes = try await concurrently(8) { number in
                try await stores.write { try $0.noteMembers(MemberMarks([UInt64(number)]), in: sprint) }
                let counts = ExperimentCounts(a: SideCounts(members: number, voted: 0))
                return try await stores.write { try $0.record(.measured(counts), of: sprint) }
            }
            #expect(outcomes.count { $0 } == 1)
            #expect(try await stores.read { try $0.experimentResults(of: stored.id) }.count == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An experiment is removed with all its data`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let stored = try experiment(of: try await stores.makeTeam())
            try await stores.insert(stored)
            let sprint = ExperimentSprint(experimentID: stored.id, start: Instants.start)
            let later = ExperimentSprint(experimentID: stored.id, start: Instants.start + 14 * Instants.day)
            try await stores.write { try $0.noteMembers(MemberMarks([1]), in: sprint) }
            #expect(try await stores.write { try $0.record(.withheld, of: later) })
            try await stores.write { try $0.deleteExperiment(stored.id) }
            try await stores.write { try $0.deleteExperiment(stored.id) }
            #expect(try await stores.read { try $0.experiment(stored.id) } == nil)
            // A concurrent measurement leaves nothing behind.
            try await stores.write { try $0.noteMembers(MemberMarks([1]), in: sprint) }
            #expect(try await !stores.write { try $0.record(.withheld, of: sprint) })
            #expect(try await stores.read { try $0.notedMembers(in: sprint) }.values.isEmpty)
            #expect(try await stores.read { try $0.experimentResults(of: stored.id) }.isEmpty)
            try await stores.insert(stored)
            #expect(try await stores.read { try $0.experiment(stored.id) } == stored)
            #expect(try await stores.read { try $0.experimentResults(of: stored.id) }.isEmpty)
        }
    }
}
