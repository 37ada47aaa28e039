import Domain
import Foundation
import TestSupport
import Testing

@testable import HappinessAPI

/// When a page says that a team's happiness changed.
@Suite struct TeamTrendTests {
    /// Closed sprints in which every vote had this value, and `silent` members did not vote.
    private static func history(
        _ values: [Int], silent: Int = 0, votes: Int = 4, isImported: Bool = false
    ) throws -> [Publication] {
        let team = Team(name: "Blue")
        return try values.enumerated().map { number, value in
            var state = PublicationState.initial
            let answers = Array(repeating: try Happiness(tenths: value * 10), count: votes)
            state.count(answers, policy: .close, threshold: 3)
            state.close(policy: .close, threshold: 3)
            let start = TestTeam.firstMonday + Double(14 * number) * TestTeam.day
            let sprint = Sprint(
                teamID: team.id, start: start, end: start + 14 * TestTeam.day, closes: start + 14 * TestTeam.day,
                label: SprintLabel(year: 2026, number: number + 1), threshold: 3, policy: .close,
                isImported: isImported)
            return Publication(SprintRecord(sprint: sprint, state: state, eligible: votes + silent))
        }
    }

    @Test func `One sprint has no trend`() throws {
        #expect(TeamTrend(try Self.history([7])) == nil)
        #expect(TeamTrend([]) == nil)
        // Its votes are not published.
        #expect(TeamTrend(try Self.history([7]) + Self.history([8], votes: 2)) == nil)
    }

    @Test(arguments: [
        ([5, 8], 0, "That’s a rise."), ([8, 5], 0, "That’s a fall."), ([7, 7], 0, "Nothing has changed."),
        ([1, 9], 1, "That’s a rise: the answers that aren’t in the two values can’t change that."),
        ([9, 1], 1, "That’s a fall: the answers that aren’t in the two values can’t change that."),
        ([7, 8], 3, "No clear change yet."), ([2, 2, 2, 2, 9, 9, 9], 0, "That’s a rise."),
    ])
    func `A change is shown only if no missing answer could undo it`(
        values: [Int], silent: Int, verdict: String
    ) throws {
        let trend = try #require(TeamTrend(try Self.history(values, silent: silent)))
        let sentences = trend.sentences(try .original(in: .english))
        #expect(sentences[1] == verdict, "\(sentences)")
    }

    @Test func `A trend of many sprints is probable, and the page says how rarely chance makes one`() throws {
        let trend = try #require(TeamTrend(try Self.history([9, 9, 8, 8, 8, 7, 7, 7, 6, 7, 6, 6, 5], silent: 3)))
        guard case .probable(.fall, let evidence) = trend.certainty else {
            Issue.record("\(trend.certainty)")
            return
        }
        #expect(evidence.times == 1000)
        let sentence = trend.sentences(try .original(in: .english))[1]
        let german = trend.sentences(try .original(in: .german))[1]
        #expect(sentence.hasPrefix("It has probably fallen over the last 13 sprints, by about"))
        #expect(sentence.hasSuffix("a trend this clear would come up by chance in at most 1 of 1,000 comparisons."))
        #expect(german.hasSuffix("zufällig in höchstens 1 von 1.000 Vergleichen."))
        #expect(sentence.contains(" points (with 95% confidence between "))
    }

    /// Values of the sprints, and the line for people without statistics.
    @Test(arguments: [
        ([5, 8], 0, "Up by 3.0 (5.0 before), and that’s certain."),
        ([9, 1], 1, "Down by 8.0 (9.0 before), and that’s certain."), ([7, 7], 0, "The same as before: 7.0."),
        ([7, 8], 3, "No clear change yet (7.0 before)."),
        (
            [9, 9, 8, 8, 8, 7, 7, 7, 6, 7, 6, 6, 5], 3,
            "Down by about 3.6 over the last 13 sprints, and that’s probably not chance."
        ),
    ])
    func `One line says what changed without a word of statistics`(values: [Int], silent: Int, line: String) throws {
        let trend = try #require(TeamTrend(try Self.history(values, silent: silent)))
        #expect(trend.plain(try .original(in: .english)) == line)
        let german = trend.plain(try .original(in: .german))
        #expect(!german.contains("{") && !german.contains("%"))
    }

    @Test func `The last sprints of a trend include the latest, even without a result`() throws {
        let values = [9, 9, 8, 8, 8, 7, 7, 7, 6, 7, 6, 6, 5]
        let history = try Self.history(values, silent: 3) + Self.history([8], votes: 2)
        let trend = try #require(TeamTrend(history))
        let sentence = trend.sentences(try .original(in: .english))[1]
        #expect(sentence.hasPrefix("It has probably fallen over the last 13 sprints, by about"), "\(sentence)")
    }

    @Test(arguments: [
        ([7, 7], 2), ([8, 1, 6, 6, 6, 7, 6, 7], 6), ([9, 9, 8, 8, 8, 7, 7, 7, 6, 7, 6, 6, 5], 13),
    ])
    func `The last sentence says how many of the results behind the others were imported`(
        values: [Int], count: Int
    ) throws {
        let trend = try #require(TeamTrend(try Self.history(values, silent: 3, isImported: true)))
        let sentences = trend.sentences(try .original(in: .english))
        #expect(sentences.count == 4)
        #expect(sentences.last == "\(count) of these results were imported: another tool counted the votes.")
    }

    @Test func `A trend that the last sprints contradict is not called one`() throws {
        let trend = try #require(TeamTrend(try Self.history([9, 9, 9, 8, 8, 8, 7, 6, 5, 4, 6, 6, 6], silent: 6)))
        #expect(trend.certainty == .unclear)
    }

    @Test func `Up to three sprints are compared with as many before them`() throws {
        let trend = try #require(TeamTrend(try Self.history([1, 1, 6, 6, 6, 8, 8, 8], silent: 1)))
        #expect(trend.count == 3)
        let sentences = trend.sentences(try .original(in: .english))
        #expect(
            sentences[0]
                == "In the last 3 sprints with a result the team’s happiness was 8.0; in the 3 before, it was 6.0.")
        #expect(sentences[2] == "Participation: 80% (80% before).")
        #expect(try TeamTrend(Self.history([6, 6, 8, 8, 8]))?.count == 2)
    }
}
