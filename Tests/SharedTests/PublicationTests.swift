import Foundation
import TestSupport
import Testing

@testable import Shared

/// What leaves the product about a sprint.
@Suite struct PublicationTests {
    @Test func whatIsCountedButNotPublishedDoesNotShow() throws {
        let publication = Publication(try Self.record(published: [], counted: [70, 80]))
        #expect(publication.votes == 0 && publication.sumInTenths == 0)
        #expect(publication.happiness == nil && publication.distribution == nil)
        #expect(!publication.isPublished && publication.historyPoint == nil)
    }

    @Test func theMeanIsExactAndNotRounded() throws {
        let publication = Publication(try Self.record(published: [70, 80, 55], counted: []))
        #expect(publication.votes == 3 && publication.sumInTenths == 205)
        #expect(publication.happiness == 205.0 / 30)
    }

    @Test func theDistributionShowsFromFiveBallotsOn() throws {
        let four = try Self.record(published: [0, 4, 5, 100], counted: [], isClosed: true)
        #expect(Publication(four).distribution == nil)
        let five = try Self.record(published: [0, 4, 5, 95, 100], counted: [], isClosed: true)
        #expect(Publication(five).distribution == [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2])
    }

    /// Two distributions of a running sprint would differ by a group of k, and give each of its values away.
    @Test func aDistributionIsShownOnceNothingCanBeSubtractedFromIt() throws {
        let values = Array(repeating: 70, count: 12)
        #expect(Publication(try Self.record(published: values, counted: [30])).distribution == nil)
        let knowingly = try Self.record(published: values, counted: [], policy: .immediate)
        #expect(Publication(knowingly).distribution?[7] == 12)
    }

    private static func record(
        published: [Int], counted: [Int], policy: PublicationPolicy = .live, isClosed: Bool = false
    ) throws -> SprintRecord {
        var tally = Tally.empty
        for tenths in published { tally.add(try Happiness(tenths: tenths)) }
        var current = tally
        for tenths in counted { current.add(try Happiness(tenths: tenths)) }
        let end = TestTeam.firstMonday + 14 * TestTeam.day
        let sprint = Sprint(
            teamID: .random(), start: TestTeam.firstMonday, end: end, closes: end,
            label: SprintLabel(year: 2026, number: 1), threshold: 3, policy: policy)
        let state = PublicationState(
            current: current, snapshot: current, snapshotNumber: 2, published: tally,
            publishedNumber: published.isEmpty ? 0 : 1, isClosed: isClosed)
        return SprintRecord(sprint: sprint, state: state, eligible: nil)
    }
}
