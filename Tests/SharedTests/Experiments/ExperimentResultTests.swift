import Domain
import Foundation
import Testing

/// Which counts may be stored.
@Suite struct ExperimentResultTests {
    /// 10 of 16 voted on side A, 6 of 14 on side B.
    private static let counts = ExperimentCounts(
        a: SideCounts(members: 16, voted: 10), b: SideCounts(members: 14, voted: 6))

    private static func record(cast: Int = 16, published: Int = 16, eligible: Int = 30) -> SprintRecord {
        func tally(_ count: Int) -> Tally {
            Tally(count: count, sum: 70 * count, distribution: Array(repeating: 0, count: 7) + [count, 0, 0, 0])
        }
        let start = SprintTestData.start
        return SprintRecord(
            sprint: Sprint(
                teamID: .random(), start: start, end: start + 1, closes: start + 1,
                label: SprintLabel(year: 2026, number: 1), threshold: 3, policy: .live),
            state: PublicationState(
                current: tally(cast), snapshot: tally(published), snapshotNumber: 1, published: tally(published),
                publishedNumber: 1, isClosed: true),
            eligible: eligible)
    }

    private static func judged(
        _ counts: ExperimentCounts = counts, _ record: SprintRecord = record(), threshold: Int = 3,
        hasLostMembers: Bool = false
    ) -> ExperimentResult {
        ExperimentResult.judged(counts, of: record, threshold: threshold, hasLostMembers: hasLostMembers)
    }

    @Test func `Counts of large groups that add up to what is public are kept`() {
        #expect(Self.judged() == .measured(Self.counts))
        #expect(Self.judged(threshold: 6) == .measured(Self.counts))
    }

    @Test func `Fewer voters or non-voters than the threshold on either side withhold them`() {
        // 10 and 6 voted, 6 and 8 did not.
        #expect(Self.judged(threshold: 7) == .withheld)
        for (a, b) in [((16, 13), (14, 3)), ((16, 14), (14, 2)), ((16, 2), (14, 14)), ((28, 14), (2, 2))] {
            let counts = ExperimentCounts(
                a: SideCounts(members: a.0, voted: a.1), b: SideCounts(members: b.0, voted: b.1))
            let isLarge = [a.1, a.0 - a.1, b.1, b.0 - b.1].allSatisfy { $0 >= 3 }
            #expect(Self.judged(counts) == (isLarge ? .measured(counts) : .withheld))
        }
    }

    @Test func `Counts that differ from what is published withhold them`() {
        // A ballot was not published; a voter is no longer a member; someone joined or left.
        #expect(Self.judged(Self.counts, Self.record(cast: 17)) == .withheld)
        #expect(Self.judged(Self.counts, Self.record(cast: 17, published: 17)) == .withheld)
        #expect(Self.judged(Self.counts, Self.record(published: 14)) == .withheld)
        #expect(Self.judged(Self.counts, Self.record(eligible: 31)) == .withheld)
    }

    @Test func `The result does not reveal whether a former member had voted`() {
        let ifNot = Self.judged(hasLostMembers: true)
        let ifVoted = Self.judged(Self.counts, Self.record(cast: 17, published: 17), hasLostMembers: true)
        #expect(ifNot == .withheld && ifVoted == .withheld)
    }
}
