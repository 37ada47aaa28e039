import Domain
import Foundation
import TestSupport
import Testing

/// The uncertainty of a published mean.
@Suite struct PossibleMeanTests {
    @Test func `Missing answers range from all worst to all best`() throws {
        let possible = try #require(PossibleMean(try Self.publication([6, 8]), memberCount: 4))
        #expect(possible.mean == 7 && possible.votes == 2 && possible.missing == 2 && possible.people == 4)
        #expect(possible.lowest == 3.5 && possible.highest == 8.5)
    }

    @Test func `A closed sprint counts those who could vote then`() throws {
        let closed = try Self.publication([6, 8], eligible: 3)
        let possible = try #require(PossibleMean(closed, memberCount: 40))
        #expect(possible.missing == 1)
    }

    @Test func `Someone who left after voting is not missing`() throws {
        let possible = try #require(PossibleMean(try Self.publication([6, 8]), memberCount: 1))
        #expect(possible.missing == 0 && possible.lowest == 7 && possible.highest == 7)
    }

    @Test func `Unpublished sprints give no mean`() throws {
        #expect(PossibleMean(try Self.publication([]), memberCount: 4) == nil)
    }

    @Test func `Only a difference that no missing answer undoes is a change`() throws {
        let low = try #require(PossibleMean(try Self.publication([4, 4, 4]), memberCount: 3))
        let high = try #require(PossibleMean(try Self.publication([9, 9, 9]), memberCount: 3))
        #expect(high.change(since: low) == .rise && low.change(since: high) == .fall)
        #expect(low.change(since: low) == nil)
        let open = try #require(PossibleMean(try Self.publication([9, 9, 9]), memberCount: 9))
        // 27 of 90: three nines and six zeros.
        #expect(open.lowest == 3 && open.change(since: low) == nil)
    }

    @Test func `Several sprints together weigh every answer alike and add up what is missing`() throws {
        let few = try Self.publication([10, 10, 10], eligible: 4)
        let many = try Self.publication([5, 5, 5, 5, 5, 5], eligible: 6)
        let pooled = try #require(PossibleMean(pooling: [few, many, try Self.publication([], eligible: 9)]))
        #expect(pooled.votes == 9 && pooled.missing == 1)
        #expect(pooled.mean == 60.0 / 9 && pooled.lowest == 6 && pooled.highest == 7)
        #expect(PossibleMean(pooling: []) == nil)
    }

    private static func publication(_ values: [Double], eligible: Int? = nil) throws -> Publication {
        var tally = Tally.empty
        for value in values { tally.add(try Happiness(value)) }
        let sprint = Sprint(
            teamID: .random(), start: Date(timeIntervalSince1970: 0), end: Date(timeIntervalSince1970: 1_209_600),
            closes: Date(timeIntervalSince1970: 1_209_600), label: SprintLabel(year: 1970, number: 1), threshold: 3,
            policy: .live)
        let state = PublicationState(
            current: tally, snapshot: tally, snapshotNumber: 1, published: tally, publishedNumber: 1,
            isClosed: eligible != nil)
        return Publication(SprintRecord(sprint: sprint, state: state, eligible: eligible))
    }
}
