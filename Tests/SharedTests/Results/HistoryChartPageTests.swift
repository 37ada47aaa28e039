import Foundation
import Testing

@testable import Domain

/// Charts within a page.
@Suite struct HistoryChartPageTests {
    private static func svg(
        _ points: [HistoryPoint], earlier: [HistoryPoint] = [], size: HistoryChart.Size = HistoryChart.Size(),
        appearance: HistoryChart.Appearance = .light
    ) -> String {
        let page = HistoryChart.Page(earlier: earlier) { "/sprints/\($0)?a=\"<&" }
        return HistoryChart(teamName: "<Team>", points: points, appearance: appearance, size: size, page: page).svg()
    }

    /// Fifty-two sprints, and those that have a counterpart a year before.
    private static func twoYears(lower: Double = 0) -> (now: [HistoryPoint], earlier: [HistoryPoint]) {
        let all = HistoryChartTests.points(52).map {
            HistoryPoint(
                label: $0.label, start: $0.start, end: $0.end, happiness: 8 - lower, votes: $0.votes,
                isRunning: $0.isRunning)
        }
        let labels = Set(all.map(\.label))
        return (all.filter { labels.contains($0.label.yearBefore) }, all)
    }

    @Test func `Every dot is a link with its meaning as name`() throws {
        let points = HistoryChartTests.points(5)
        let elements = try #require(HistoryChartTests.elements(of: Self.svg(points)))
        let links = elements.filter { $0.name == "a" }
        #expect(links.map { $0.attributes["href"] } == points.map { "/sprints/\($0.label)?a=\"<&" })
        #expect(links.allSatisfy { $0.attributes["tabindex"] == "-1" })
        #expect(links.last?.attributes["aria-label"]?.hasSuffix("(5 votes, still running)") == true)
        #expect(links.last?.attributes["data-facts"] == "5 votes, still running")
        #expect(
            links.allSatisfy { link in
                ["data-value", "data-dates", "data-facts"].allSatisfy { name in
                    link.attributes[name].map { link.attributes["aria-label"]?.contains($0) == true } == true
                }
            })
        #expect(elements.count { $0.name == "circle" } == 5)
    }

    @Test func `The page has the heading and the colours`() throws {
        let elements = try #require(HistoryChartTests.elements(of: Self.svg(HistoryChartTests.points(5))))
        #expect(!elements.contains { $0.name == "style" || $0.attributes["style"] != nil })
        #expect(!elements.contains { $0.name == "text" && $0.text == "<Team>" })
        #expect(elements.first?.attributes["role"] == "group", "screen readers ignore links within an image")
        #expect(elements.contains { $0.name == "title" && $0.text == "Happiness: <Team>" })
        let alone = HistoryChart(teamName: "T", points: HistoryChartTests.points(5)).svg()
        #expect(!alone.contains("<a ") && alone.contains("role=\"img\""))
    }

    @Test func `The year before is a second line over the same sprints, with its name`() throws {
        let (now, earlier) = Self.twoYears()
        let elements = try #require(HistoryChartTests.elements(of: Self.svg(now, earlier: earlier)))
        #expect(elements.count { $0.attributes["class"] == ChartPaint.earlier.rawValue } == 1)
        #expect(elements.count { $0.attributes["class"] == ChartPaint.earlierDot.rawValue } == now.count)
        #expect(elements.count { $0.text == "year before" } == 1)
        let text = try #require(elements.first { $0.name == "a" }?.attributes["aria-label"])
        #expect(text.hasSuffix(", 8.0 a year earlier)"))
        let without = Self.svg(now, earlier: Array(now.suffix(3)))
        #expect(!without.contains("hm-earlier") && !without.contains("year before"))
    }

    @Test func `An imported value of the year before is called that`() throws {
        let (now, earlier) = Self.twoYears()
        let imported = earlier.map {
            HistoryPoint(
                label: $0.label, start: $0.start, end: $0.end, happiness: $0.happiness, votes: $0.votes,
                isImported: true)
        }
        let elements = try #require(HistoryChartTests.elements(of: Self.svg(now, earlier: imported)))
        let text = try #require(elements.first { $0.name == "a" }?.attributes["aria-label"])
        #expect(text.hasSuffix(" votes, an imported 8.0 a year earlier)"))
    }

    @Test(arguments: [HistoryChart.Size(width: 960, height: 380), .init(width: 360, height: 300)])
    func `The name is in the picture and not on the line`(size: HistoryChart.Size) throws {
        for difference in [-2.0, -0.5, 0.5, 2] {
            let layout = ChartLayout(size: size, points: Self.twoYears().now, hasHeading: false)
            let places = layout.points.enumerated().map { index, point in
                let wave = sin(Double(index) / 3)
                return EarlierPosition(
                    x: layout.x(point.start), y: layout.y(6 + wave + difference), mainY: layout.y(6 + wave))
            }
            let width = SVGText.width(of: "year before", fontSize: layout.labelSize)
            let at = EarlierName(width: width, layout: layout).place(among: places)
            #expect(at.x - width / 2 >= layout.left && at.x + width / 2 <= layout.right)
            #expect(at.y <= layout.bottom && at.y - layout.labelSize >= layout.top - 1)
            guard abs(difference) >= 2 else { continue }
            let box = (at.y - layout.labelSize)...at.y
            let beneath = places.filter { abs($0.x - at.x) <= width / 2 }
            #expect(beneath.allSatisfy { !box.contains($0.y) && !box.contains($0.mainY) })
        }
    }
}
