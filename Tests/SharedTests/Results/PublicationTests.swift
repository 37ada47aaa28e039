import Domain
import Foundation
import TestSupport
import Testing

/// The parts of a sprint that the product shows.
@Suite struct PublicationTests {
    /// After members were removed, there may be more ballots than members. The number of unpublished ballots must stay
    /// secret.
    @Test func `The number of possible voters reveals no unpublished ballots`() throws {
        var state = PublicationState.initial
        state.count(try Array(repeating: Happiness(tenths: 70), count: 5), policy: .close, threshold: 6)
        let start = TestTeam.firstMonday
        let sprint = Sprint(
            teamID: .random(), start: start, end: start, closes: start, label: SprintLabel(year: 2026, number: 1),
            threshold: 6, policy: .close)
        let record = SprintRecord(sprint: sprint, state: state, eligible: nil).closed(members: 3, spentPapers: [:])
        #expect(record.state.published.count == 0 && record.eligible == 3)
    }

    @Test func `A counted but unpublished ballot does not show`() throws {
        let publication = Publication(try Self.record(published: [], counted: [70, 80]))
        #expect(publication.votes == 0 && publication.sumInTenths == 0)
        #expect(publication.happiness == nil && publication.distribution == nil)
        #expect(!publication.isPublished && publication.historyPoint == nil)
    }

    @Test func `The mean is exact and not rounded`() throws {
        let publication = Publication(try Self.record(published: [70, 80, 55], counted: []))
        #expect(publication.votes == 3 && publication.sumInTenths == 205)
        #expect(publication.happiness == 205.0 / 30)
    }

    @Test func `A sprint published once shows its distribution from five ballots on`() throws {
        let four = try Self.record(published: [0, 4, 5, 100], counted: [], policy: .close, isClosed: true)
        #expect(Publication(four).distribution == nil)
        let five = try Self.record(published: [0, 4, 50, 95, 100], counted: [], policy: .close, isClosed: true)
        #expect(Publication(five).distribution == [2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2])
        let open = try Self.record(published: [0, 4, 50, 95, 100], counted: [], policy: .close)
        #expect(Publication(open).distribution == nil)
    }

    /// Two members who know their own ballots must not be able to infer that the rest has a single value.
    @Test(arguments: [[70, 70, 70, 70, 70, 70], [70, 70, 70, 70, 0, 100], [40, 50, 60, 60, 50, 40]])
    func `Ballots that lie close together show no distribution`(values: [Int]) throws {
        let record = try Self.record(published: values, counted: [], policy: .close, isClosed: true)
        #expect(Publication(record).distribution == nil)
    }

    /// The sums of the groups published one after the other, together with the total distribution, often have only one
    /// solution.
    @Test func `A sprint that was published while it ran shows no distribution`() throws {
        for isClosed in [true, false] {
            let record = try Self.record(published: [0, 10, 30, 50, 70, 90, 100], counted: [], isClosed: isClosed)
            #expect(Publication(record).distribution == nil)
        }
    }

    @Test func `Without protection, every distribution is shown`() throws {
        let values = Array(repeating: 70, count: 12)
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
