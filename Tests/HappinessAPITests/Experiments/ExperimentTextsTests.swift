import Domain
import Foundation
import TestSupport
import Testing

@testable import HappinessAPI

/// The sentences about an experiment's result.
@Suite struct ExperimentTextsTests {
    /// The verdict and the sentences with numbers, for one sprint.
    /// - Parameter members: on each side; 0 for a sprint that is not measured.
    private static func sentences(
        votedA: Int, votedB: Int, members: Int, _ language: PageLanguage
    ) throws -> [String] {
        let end = TestTeam.firstMonday + 14 * TestTeam.day
        let sprint = Sprint(
            teamID: .random(), start: TestTeam.firstMonday, end: end, closes: end,
            label: SprintLabel(year: 2026, number: 1), threshold: 3, policy: .live)
        let counts = ExperimentCounts(
            a: SideCounts(members: members, voted: votedA), b: SideCounts(members: members, voted: votedB))
        let result: ExperimentResult? = members == 0 ? nil : .measured(counts)
        let report = ExperimentReport(sprints: [ExperimentReport.MeasuredSprint(sprint: sprint, result: result)])
        let texts = ExperimentTexts(
            words: try .original(in: language.mailLocale), language: language, zone: .gmt,
            today: CalendarDay(instant: end, in: .gmt))
        return [texts.verdict(report)] + texts.numbers(report)
    }

    @Test(arguments: [
        (PageLanguage.english, "Not enough data yet.", "No clear answer: the groups are too small."),
        (.german, "Noch zu wenige Daten.", "Keine klare Aussage: Die Gruppen sind zu klein."),
    ])
    func `Small groups are not asked to wait`(language: PageLanguage, unmeasured: String, small: String) throws {
        #expect(try Self.sentences(votedA: 0, votedB: 0, members: 0, language) == [unmeasured])
        #expect(try Self.sentences(votedA: 5, votedB: 5, members: 10, language).first == small)
    }

    @Test(arguments: [
        (PageLanguage.english, 49, " 1 percentage point; with 95"), (.english, 50, " 0 percentage points; with 95"),
        (.english, 48, " 2 percentage points; with 95"), (.german, 49, "Das ist 1 Prozentpunkt Unterschied;"),
        (.german, 50, "Das sind 0 Prozentpunkte Unterschied;"), (.german, 48, "Das sind 2 Prozentpunkte Unterschied;"),
    ])
    func `A difference of one point is one point`(language: PageLanguage, votedB: Int, text: String) throws {
        let sentences = try Self.sentences(votedA: 50, votedB: votedB, members: 100, language)
        #expect(sentences.last?.contains(text) == true, "\(sentences)")
    }
}
