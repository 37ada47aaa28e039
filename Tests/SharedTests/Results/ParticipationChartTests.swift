import Domain
import Foundation
import Testing

/// The bars for participation.
@Suite struct ParticipationChartTests {
    private static func bars(_ shares: [Double?]) -> [ParticipationChart.Bar] {
        let fortnight = 14 * 86_400.0
        // Monday 5 January 2026.
        let first = Date(timeIntervalSince1970: 1_767_571_200)
        return shares.enumerated().map { number, share in
            ParticipationChart.Bar(
                start: first + Double(number) * fortnight, end: first + Double(number + 1) * fortnight, share: share,
                votes: Int((share ?? 0) * 4), eligible: 4, address: "/sprints/\(number + 1)")
        }
    }

    private static func svg(
        _ shares: [Double?], language: String = "en", width: Int = 880, height: Int = 260
    ) -> String {
        ParticipationChart(
            bars: bars(shares), language: language, zone: .gmt, size: HistoryChart.Size(width: width, height: height),
            id: "part\"<"
        ).svg()
    }

    @Test func `A bar is as high as its share`() throws {
        let elements = try #require(HistoryChartTests.elements(of: Self.svg([0.5, 1, 0])))
        let heights = elements.filter { $0.name == "rect" }.compactMap { $0.attributes["height"].flatMap(Double.init) }
        #expect(heights.count == 3)
        #expect(abs(heights[0] * 2 - heights[1]) < 0.2)
        // Zero is a line, to distinguish it from a sprint without a number.
        #expect(heights[2] == 2)
    }

    @Test func `A withheld share has no bar and no number`() throws {
        let elements = try #require(HistoryChartTests.elements(of: Self.svg([0.8, nil])))
        #expect(elements.count { $0.name == "rect" } == 1)
        #expect(elements.contains { $0.attributes["stroke-dasharray"] != nil })
        #expect(
            elements.filter { $0.name == "text" && $0.text.hasSuffix("%") }.map(\.text) == ["0%", "50%", "100%", "80%"])
    }

    @Test func `Each bar is a link with its meaning as name`() throws {
        let elements = try #require(HistoryChartTests.elements(of: Self.svg([0.75, nil])))
        let links = elements.filter { $0.name == "a" }
        #expect(links.map { $0.attributes["href"] } == ["/sprints/1", "/sprints/2"])
        #expect(
            links.map { $0.attributes["aria-label"] } == [
                "5–18\u{a0}Jan\u{a0}2026: 75% (3 of 4 answers)",
                "19\u{a0}Jan – 1\u{a0}Feb\u{a0}2026: – (too few votes for a result)",
            ])
    }

    /// What the page's module shows: it must not need a form of the text, which differs by language.
    @Test(arguments: [
        ("en", "75%", "3 of 4 answers", "too few votes for a result", "Bar chart of one sprint: 75% ("),
        ("de", "75\u{a0}%", "3 von 4 Antworten", "zu wenige Stimmen für ein Ergebnis", "über einen Sprint: 75"),
    ])
    func `Each bar has its parts as data`(
        language: String, value: String, facts: String, withheld: String, summary: String
    ) throws {
        let elements = try #require(HistoryChartTests.elements(of: Self.svg([0.75, nil], language: language)))
        let bars = elements.filter { $0.name == "a" }.map(\.attributes)
        #expect(bars.map { $0["data-value"] } == [value, "–"])
        #expect(bars.map { $0["data-facts"] } == [facts, withheld])
        #expect(bars.allSatisfy { $0["data-dates"]?.hasSuffix("\u{a0}2026") == true && $0["data-begun"] == nil })
        for bar in bars {
            let name = try #require(bar["aria-label"])
            #expect(["data-value", "data-dates", "data-facts"].allSatisfy { name.contains(bar[$0] ?? "?") })
        }
        let one = try #require(HistoryChartTests.elements(of: Self.svg([0.75], language: language)))
        #expect(one.first { $0.name == "desc" }?.text.contains(summary) == true)
    }

    @Test(arguments: [
        ("en", "5–18\u{a0}Jan\u{a0}2026: 75% (3 of 4 answers, 50% a year earlier). Started: Calm <days>; Retro"),
        (
            "de",
            "5.–18.\u{a0}Jan.\u{a0}2026: 75\u{a0}% (3 von 4 Antworten, 50\u{a0}% im Jahr davor). "
                + "Begonnen: Calm <days>; Retro"
        ),
    ])
    func `A bar names the year before and the actions that began`(language: String, name: String) throws {
        let start = Date(timeIntervalSince1970: 1_767_571_200)
        let bar = ParticipationChart.Bar(
            start: start, end: start + 14 * 86_400, share: 0.75, votes: 3, eligible: 4, yearBefore: 0.5,
            begun: ["Calm <days>", "Retro"], address: "/")
        let chart = ParticipationChart(
            bars: [bar], language: language, zone: .gmt, size: HistoryChart.Size(width: 880, height: 260), id: "p")
        let elements = try #require(HistoryChartTests.elements(of: chart.svg()))
        let link = try #require(elements.first { $0.name == "a" }?.attributes)
        #expect(link["aria-label"] == name)
        #expect(link["data-begun"].map { name.hasSuffix(" \($0)") } == true)
    }

    @Test(arguments: [
        ("en", "75% (3 of 4 answers, imported, an imported 50% a year earlier)"),
        ("de", "75\u{a0}% (3 von 4 Antworten, importiert, importierte 50\u{a0}% im Jahr davor)"),
    ])
    func `A bar says what was imported`(language: String, name: String) throws {
        let start = Date(timeIntervalSince1970: 1_767_571_200)
        let bar = ParticipationChart.Bar(
            start: start, end: start + 14 * 86_400, share: 0.75, votes: 3, eligible: 4, yearBefore: 0.5,
            isImported: true, isYearBeforeImported: true, address: "/")
        let chart = ParticipationChart(
            bars: [bar], language: language, zone: .gmt, size: HistoryChart.Size(width: 880, height: 260), id: "p")
        let elements = try #require(HistoryChartTests.elements(of: chart.svg()))
        #expect(elements.first { $0.name == "a" }?.attributes["aria-label"]?.hasSuffix(": \(name)") == true)
    }

    @Test func `The axis names each month once`() throws {
        let elements = try #require(HistoryChartTests.elements(of: Self.svg(Array(repeating: 1, count: 6))))
        let months = elements.filter { $0.name == "text" && !$0.text.hasSuffix("%") }.map(\.text)
        #expect(months == ["Jan", "Feb", "Mar"])
    }

    @Test(arguments: [
        ("en", "Latest 75% (19\u{a0}Jan – 1\u{a0}Feb\u{a0}2026). Most 100%"),
        ("de-AT", "Zuletzt 75\u{A0}% (19.\u{a0}Jan. – 1.\u{a0}Feb.\u{a0}2026)."),
    ])
    func `The chart says what it shows`(language: String, text: String) throws {
        let elements = try #require(
            HistoryChartTests.elements(of: Self.svg([1, 0.75, nil], language: language)))
        #expect(elements.first { $0.name == "desc" }?.text.contains(text) == true)
        #expect(elements.first?.attributes["role"] == "group", "screen readers ignore links within an image")
        #expect(elements.first?.attributes["id"] == "part")
    }

    @Test(arguments: [(880, 260, 26), (340, 220, 13), (340, 220, 1), (340, 220, 0)])
    func `Nothing reaches over the edge`(width: Int, height: Int, count: Int) throws {
        let svg = Self.svg(Array(repeating: 1, count: count), width: width, height: height)
        let elements = try #require(HistoryChartTests.elements(of: svg))
        for text in elements where text.name == "text" {
            let x = try #require(text.attributes["x"].flatMap(Double.init))
            let size = try #require(text.attributes["font-size"].flatMap(Double.init))
            // A digit is 0.6 of the font size wide.
            let length = Double(text.text.count) * size * 0.58
            let reach = text.attributes["text-anchor"] == "end" ? 0 : length / 2
            #expect(x + reach <= Double(width))
        }
        for bar in elements where bar.name == "rect" {
            let x = try #require(bar.attributes["x"].flatMap(Double.init))
            let length = try #require(bar.attributes["width"].flatMap(Double.init))
            #expect(x >= 0 && x + length <= Double(width))
        }
    }

    @Test func `A share out of range becomes the nearest allowed`() {
        #expect(Self.bars([1.4]).first?.share == 1)
    }
}
