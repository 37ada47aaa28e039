import Domain
import Foundation
import Services
import Storage
import TestSupport
import Testing

@Suite struct SprintStoreContract {
    @Test(arguments: StoreUnderTest.all)
    func `A started sprint is found empty and open`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let sprint = try await stores.makeSprint(of: team, threshold: 4, policy: .close)
            #expect(sprint == .fortnight(of: team.id, threshold: 4, policy: .close))
            let record = SprintRecord(sprint: sprint, state: .initial, eligible: nil)
            #expect(try await stores.sprint(sprint.key) == record)
            #expect(try await stores.read { try $0.sprint(of: team.id, labelled: sprint.label) } == record)
            #expect(try await stores.read { try $0.sprint(of: team.id, endingAt: sprint.end) } == record)
            #expect(try await stores.latestSprint(of: team.id) == record)
            #expect(try await stores.publicationNumber(of: team.id) == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A sprint keeps who may read its feedback`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let terms = Sprint.fortnight(of: team.id)
            let started = try await stores.start(
                Sprint(
                    teamID: team.id, start: terms.start, end: terms.end, closes: terms.closes, label: terms.label,
                    threshold: terms.threshold, policy: terms.policy, feedbackReaders: .leads,
                    ballots: .sealed))
            #expect(started.feedbackReaders == .leads && started.ballots == .sealed)
            #expect(try await stores.sprint(started.key)?.sprint == started)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A missing sprint is not found`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let (team, other) = (try await stores.makeTeam(), try await stores.makeTeam())
            let sprint = try await stores.makeSprint(of: other)
            #expect(try await stores.sprint(Sprint.Key(teamID: team.id, start: sprint.start)) == nil)
            #expect(try await stores.read { try $0.sprint(of: team.id, labelled: sprint.label) } == nil)
            #expect(try await stores.read { try $0.sprint(of: team.id, endingAt: sprint.end) } == nil)
            #expect(try await stores.read { try $0.sprint(of: other.id, endingAt: sprint.start) } == nil)
            #expect(try await stores.latestSprint(of: team.id) == nil)
            #expect(try await stores.sprints(of: team.id, matching: .all).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A sprint of no team is not started`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let teamID = Team.ID.random()
            await expectRejection(.notFound, reason: .noSuchTeam) {
                _ = try await stores.start(.fortnight(of: teamID))
            }
            let latest = try await stores.latestSprint(of: teamID)
            #expect(latest == nil)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Fifty who start a sprint at once get the same one`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let started = try await concurrently(50) { number in
                // Starts differ, as if processes disagreed about the calendar.
                try await stores.start(
                    .fortnight(of: team.id, start: Instants.start + TimeInterval(number % 3) * Instants.day))
            }
            #expect(Set(started).count == 1)
            #expect(try await stores.sprints(of: team.id, matching: .all).map(\.sprint) == [started[0]])
            #expect(try await stores.publicationNumber(of: team.id) == 1)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Starting a sprint returns the earliest one that ends later`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let first = try await stores.makeSprint(of: team)
            let second = try await stores.makeSprint(
                of: team, start: first.end, label: SprintLabel(year: 2026, number: 2))
            let early = Sprint.fortnight(of: team.id, start: first.start - 7 * Instants.day)
            #expect(try await stores.start(early) == first)
            #expect(try await stores.start(.fortnight(of: team.id, start: first.end - 1)) == first)
            #expect(try await stores.start(.fortnight(of: team.id, start: first.end)) == second)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `A used label gets the next free suffix`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            var labels: [String] = []
            for number in 0..<3 {
                let start = Instants.start + TimeInterval(number * 14) * Instants.day
                labels.append(try await stores.makeSprint(of: team, start: start).label.description)
            }
            #expect(labels == ["2026/1", "2026/1b", "2026/1c"])
            let second = try #require(SprintLabel("2026/1b"))
            let found = try await stores.read { try $0.sprint(of: team.id, labelled: second) }
            #expect(found?.sprint.start == Instants.start + 14 * Instants.day)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Sprints are listed in the order of their starts`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            _ = try await stores.makeSprint(of: stores.makeTeam())
            // 2025/25, 2025/26, 2026/1, 2026/2
            for (index, label) in ["2025/25", "2025/26", "2026/1", "2026/2"].enumerated() {
                _ = try await stores.makeSprint(
                    of: team, start: Instants.start + TimeInterval(14 * (index - 2)) * Instants.day,
                    label: try #require(SprintLabel(label)))
            }
            func labels(_ filter: SprintFilter) async throws -> [String] {
                try await stores.sprints(of: team.id, matching: filter).map(\.sprint.label.description)
            }

            #expect(try await labels(.all) == ["2025/25", "2025/26", "2026/1", "2026/2"])
            #expect(try await labels(.year(2026)) == ["2026/1", "2026/2"])
            #expect(try await labels(.year(2024)).isEmpty)
            func labels(from: String, through: String) async throws -> [String] {
                let bounds = (try #require(SprintLabel(from)), try #require(SprintLabel(through)))
                return try await labels(.range(from: bounds.0, through: bounds.1))
            }
            #expect(try await labels(from: "2025/26", through: "2026/1") == ["2025/26", "2026/1"])
            #expect(try await labels(from: "2025/9", through: "2025/25") == ["2025/25"])
            #expect(try await labels(from: "2026/2", through: "2025/1").isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Overlong histories are cut to the latest`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let records = (0...SprintFilter.maximumCount).map { number in
                SprintRecord(
                    sprint: .fortnight(
                        of: team.id, start: Instants.start + TimeInterval(14 * number) * Instants.day,
                        label: SprintLabel(year: 2000 + number / 26, number: number % 26 + 1)),
                    state: .initial, eligible: nil)
            }
            try await stores.importSprints(records)
            let listed = try await stores.sprints(of: team.id, matching: .all)
            #expect(listed == Array(records.dropFirst()))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Sprints to close or clear come in the order of closing`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let sprints = try await [0, 1, 2, 3, 4].asyncMap { number in
                try await stores.makeSprint(
                    of: stores.makeTeam(), start: Instants.start + TimeInterval(4 - number) * Instants.day)
            }
            _ = try await stores.ballots.close(sprints[4].key)
            try await stores.ballots.clear(sprints[4].key, secret: Voter.secret)
            // Closed early, and not cleared yet.
            _ = try await stores.ballots.close(sprints[0].key)
            func unfinished(_ team: Team.ID? = nil, at now: Date, limit: Int = 10) async throws -> [Sprint.Key] {
                try await stores.read { try $0.unfinishedSprints(of: team, at: now, limit: limit) }.map(\.sprint.key)
            }
            let now = sprints[2].closes
            #expect(try await unfinished(at: now) == [sprints[3].key, sprints[2].key, sprints[0].key])
            #expect(try await unfinished(at: now - 1) == [sprints[3].key, sprints[0].key])
            #expect(try await unfinished(at: now, limit: 1) == [sprints[3].key])
            #expect(try await unfinished(sprints[2].teamID, at: now) == [sprints[2].key])
            #expect(try await unfinished(sprints[1].teamID, at: now).isEmpty)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Uncleared sprints come in pages, by team and start`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            var sprints: [Sprint] = []
            for _ in 0..<3 {
                let team = try await stores.makeTeam()
                for number in 0..<3 {
                    sprints.append(
                        try await stores.makeSprint(
                            of: team, start: Instants.start + Double(number) * 14 * Instants.day,
                            label: SprintLabel(year: 2026, number: number + 1)))
                }
            }
            let cleared = sprints.removeFirst()
            _ = try await stores.ballots.close(cleared.key)
            try await stores.ballots.clear(cleared.key, secret: Voter.secret)
            var listed: [Sprint.Key] = []
            while true {
                let page = try await stores.read { [listed] rows in
                    try rows.unclearedSprints(after: listed.last, limit: 2)
                }
                if page.isEmpty { break }
                listed += page
            }
            #expect(listed == sprints.map(\.key).sorted { ($0.teamID, $0.start) < ($1.teamID, $1.start) })
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `All sprints of a team are counted, and their keys ordered by start`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let other = try await stores.makeTeam()
            _ = try await stores.makeSprint(of: other)
            // More than `list` would return.
            let count = SprintFilter.maximumCount + 5
            let records = try (0..<count).map { number in
                try Self.closedRecord(
                    of: team.id, start: Instants.start + Double(number) * 14 * Instants.day,
                    label: "\(2026 + number / 26)/\(number % 26 + 1)")
            }
            try await stores.importSprints(records.reversed())
            #expect(try await stores.read { try $0.sprintKeys(of: team.id) } == records.map(\.sprint.key))
            #expect(try await stores.read { try $0.sprintKeys(of: .random()) }.isEmpty)
            let counts = try await stores.transaction { rows in
                try [team.id, other.id, .random()].map { try rows.sprintCount(of: $0) }
            }
            #expect(counts == [count, 1, 0])
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `Imported sprints are kept as they are`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let record = try Self.closedRecord(of: team.id, start: Instants.start, label: "2026/1")
            try await stores.importSprints([record])
            #expect(try await stores.sprint(record.sprint.key) == record)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `An import that clashes adds nothing`(kind: StoreUnderTest) async throws {
        try await kind.withStores { stores in
            let team = try await stores.makeTeam()
            let later = Instants.start + 14 * Instants.day
            let stored = try Self.closedRecord(of: team.id, start: Instants.start, label: "2026/1")
            try await stores.importSprints([stored])
            let new = try Self.closedRecord(of: team.id, start: later, label: "2026/2")
            let sameKey = try Self.closedRecord(of: team.id, start: Instants.start, label: "2026/3")
            let sameLabel = try Self.closedRecord(of: team.id, start: later + 14 * Instants.day, label: "2026/1")
            for clash in [sameKey, sameLabel] {
                await expectRejection(.conflict, reason: .conflict) {
                    try await stores.importSprints([new, clash])
                }
            }
            #expect(try await stores.sprints(of: team.id, matching: .all) == [stored])
        }
    }

    private static func closedRecord(of teamID: Team.ID, start: Date, label: String) throws -> SprintRecord {
        var state = PublicationState.initial
        state.count(try [0, 55, 100, 100].map { try Happiness(tenths: $0) }, policy: .live, threshold: 3)
        state.close(policy: .live, threshold: 3)
        let sprint = Sprint.fortnight(of: teamID, start: start, label: try #require(SprintLabel(label)))
        return SprintRecord(sprint: sprint, state: state, eligible: 6)
    }
}

extension Array {
    /// Like `map`, but awaits each element before the next.
    func asyncMap<Value>(_ transform: (Element) async throws -> Value) async throws -> [Value] {
        var values: [Value] = []
        for element in self {
            values.append(try await transform(element))
        }
        return values
    }
}
