import Foundation
import Testing

@testable import Domain

/// Marks in a chart where actions began.
@Suite struct HistoryMarkTests {
    private func mark(at point: HistoryPoint, _ titles: [String]) -> HistoryMark {
        HistoryMark(label: point.label, start: point.start, titles: titles)
    }

    @Test func `A flag names the actions that began`() throws {
        let points = HistoryChartTests.points(5)
        let marks = [mark(at: points[2], ["<Shorter> daily", "Fewer meetings"])]
        let day = ChartTexts(language: "en").text(of: CalendarDay(instant: points[2].start, in: .gmt))
        let text = "Started in the sprint of \(day): <Shorter> daily; Fewer meetings"
        let elements = try #require(
            HistoryChartTests.elements(of: HistoryChart(teamName: "T", points: points, marks: marks).svg()))
        let flag = try #require(elements.first { $0.name == "g" && $0.attributes["role"] == "img" })
        #expect(flag.attributes["aria-label"] == text)
        // Screen readers skip the parts of a picture, but not its description.
        #expect(elements.first { $0.name == "desc" }?.text.hasSuffix("\(text).") == true)
        #expect(elements.contains { $0.attributes["class"] == "hm-mark" })

        let page = HistoryChart.Page { "/\($0)" }
        let inPage = try #require(
            HistoryChartTests.elements(
                of: HistoryChart(teamName: "T", points: points, marks: marks, language: "de", page: page).svg()))
        let dots = inPage.filter { $0.name == "a" }
        let germanDay = ChartTexts(language: "de").text(of: CalendarDay(instant: points[2].start, in: .gmt))
        let german = "Begonnen im Sprint vom \(germanDay): <Shorter> daily; Fewer meetings"
        #expect(dots.map { $0.attributes["data-begun"] } == [nil, nil, german, nil, nil])
        #expect(dots[2].attributes["aria-label"]?.hasSuffix("). \(german)") == true)
    }

    @Test func `Actions outside the period have no flag`() {
        let points = HistoryChartTests.points(9)
        let shown = Array(points[3...5])
        let marks = [points[2], points[4], points[6]].map { mark(at: $0, ["a"]) }
        let svg = HistoryChart(teamName: "T", points: shown, marks: marks, appearance: .light).svg()
        #expect(svg.matches(of: /class="hm-mark"/).count == 1)
        #expect(!HistoryChart(teamName: "T", points: [], marks: marks, appearance: .light).svg().contains("hm-mark"))
    }

    @Test func `Actions of one sprint share a flag, and many are counted`() {
        let sprints = (1...2).map {
            ActionSprint(
                start: Date(timeIntervalSince1970: Double($0) * 1_209_600), label: SprintLabel(year: 2026, number: $0))
        }
        func action(_ title: String, _ began: ActionSprint) -> BegunAction {
            BegunAction(id: .random(), teamID: .random(), title: title, began: began)
        }
        let marks = HistoryMark.marks(
            of: [action("late", sprints[1]), action("a", sprints[0]), action("b", sprints[0])])
        #expect(marks.map(\.titles) == [["a", "b"], ["late"]])
        let many = HistoryMark(label: sprints[0].label, start: sprints[0].start, titles: (1...7).map { "\($0)" })
        #expect(
            ChartTexts(language: "en").begun(many) == "Started in the sprint of 15\u{a0}Jan: 1; 2; 3; 4; 5 and 2 more"
        )
    }
}
