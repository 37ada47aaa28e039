import Foundation
import TestSupport
import Testing

#if canImport(FoundationXML)
import FoundationXML

@testable import Domain

#endif

@Suite struct HistoryChartTests {
    /// A history of successive sprints, without those at the indices in `missing`.
    static func points(_ count: Int, missing: Set<Int> = [], calendar: SprintCalendar = .isoFortnight) -> [HistoryPoint]
    {
        var generator = SeededGenerator(seed: UInt64(count))
        let from = Date(timeIntervalSince1970: 1_600_000_000)
        return calendar.spans(from: from, until: from.addingTimeInterval(Double(count) * 30 * 86_400), in: .gmt)
            .prefix(count).enumerated()
            .filter { !missing.contains($0.offset) }
            .map { index, span in
                HistoryPoint(
                    label: span.label, start: span.start, end: span.end,
                    happiness: Double.random(in: 0...10, using: &generator), votes: index + 1,
                    isRunning: index == count - 1)
            }
    }

    /// The elements of a document, or nil if it is not well-formed.
    static func elements(of svg: String) -> [(name: String, attributes: [String: String], text: String)]? {
        final class Reader: NSObject, XMLParserDelegate {
            var elements: [(name: String, attributes: [String: String], text: String)] = []
            var open: [Int] = []
            func parser(
                _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
                attributes: [String: String],
            ) {
                open.append(elements.count)
                elements.append((name, attributes, ""))
            }
            func parser(_ parser: XMLParser, foundCharacters text: String) {
                if let last = open.last { elements[last].text += text }
            }
            func parser(
                _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
            ) {
                open.removeLast()
            }
        }
        let reader = Reader()
        let parser = XMLParser(data: Data(svg.utf8))
        parser.delegate = reader
        return parser.parse() ? reader.elements : nil
    }

    @Test(arguments: HistoryChart.Appearance.allCases, [0, 1, 2, 26, 52, 104])
    func `Every chart is well-formed and self-contained`(appearance: HistoryChart.Appearance, count: Int) throws {
        let chart = HistoryChart(teamName: "Team", points: Self.points(count), appearance: appearance, id: "a-1")
        let svg = chart.svg()
        #expect(svg == chart.svg())
        let elements = try #require(Self.elements(of: svg))
        let root = try #require(elements.first)
        #expect(root.name == "svg")
        #expect(root.attributes["role"] == "img")
        #expect(root.attributes["viewBox"] == "0 0 960 420")
        #expect(root.attributes["aria-labelledby"] == "a-1-title a-1-desc")
        let ids = elements.compactMap { $0.attributes["id"] }
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { $0.hasPrefix("a-1") })
        #expect(Set(ids).isSuperset(of: ["a-1-title", "a-1-desc"]))
        #expect(elements.count { $0.name == "circle" } == count)
        #expect(elements.count { $0.name == "style" } == (appearance == .auto ? 1 : 0))
        for element in elements {
            #expect(!["script", "foreignObject", "image", "use", "a"].contains(element.name))
            for (name, value) in element.attributes where name != "xmlns" {
                #expect(name != "style" && !name.hasPrefix("on") && !name.hasSuffix("href"))
                #expect(!value.contains("//") && (!value.contains("url(") || value == "url(#a-1-shade)"))
                #expect(!value.contains("nan") && !value.contains("inf"))
            }
        }
    }

    @Test(arguments: [
        "<script>alert(1)</script>", "\"/><script>", "' onload='x", "]]>", "&amp;<!--", "<![CDATA[",
        "a\u{0}b\u{8}\u{FFFE}\u{FFFF}c", "\u{202E}txet", "\r\n\t", "", "👩‍👩‍👧‍👦🎉日本語",
        String(repeating: "W", count: 10_000), "e" + String(repeating: "\u{301}", count: 5000),
    ])
    func `A hostile team name is only text`(name: String) throws {
        let plain = try #require(Self.elements(of: HistoryChart(teamName: "x", points: Self.points(3)).svg()))
        let svg = HistoryChart(teamName: name, points: Self.points(3)).svg()
        let elements = try #require(Self.elements(of: svg))
        #expect(elements.map(\.name) == plain.map(\.name))
        #expect(elements.map { $0.attributes.keys.sorted() } == plain.map { $0.attributes.keys.sorted() })
        #expect(!svg.contains("\u{202E}"))
    }

    @Test func `A long name is shortened in the picture and not in the title`() throws {
        let name = String(repeating: "Platform ", count: 30)
        let elements = try #require(Self.elements(of: HistoryChart(teamName: name, points: []).svg()))
        #expect(elements.first { $0.name == "text" }?.text.hasSuffix("…") == true)
        #expect(elements.first { $0.name == "title" }?.text == "Happiness: \(name)")
    }

    @Test func `Dots and description say what is drawn`() throws {
        let spans = SprintCalendar.isoFortnight.spans(
            from: try SprintTestData.instant("2026-01-05T00:00:00Z"),
            until: try SprintTestData.instant("2026-02-20T00:00:00Z"), in: .gmt)
        let values = [(7.44, 12), (3.25, 1), (9.96, 3), (5, 7)]
        let points = zip(spans, values).map {
            HistoryPoint(
                label: $0.label, start: $0.start, end: $0.end, happiness: $1.0, votes: $1.1, isRunning: $1.0 == 5)
        }
        func texts(_ name: String, language: String) throws -> [String] {
            let chart = HistoryChart(teamName: "T", points: points.reversed(), language: language)
            return try #require(Self.elements(of: chart.svg())).filter { $0.name == name }.map(\.text)
        }
        #expect(
            try texts("title", language: "en") == [
                "Happiness: T", "5–18\u{a0}Jan\u{a0}2026: 7.4 (12 votes)",
                "19\u{a0}Jan – 1\u{a0}Feb\u{a0}2026: 3.3 (1 vote)", "2–15\u{a0}Feb\u{a0}2026: 10.0 (3 votes)",
                "16\u{a0}Feb – 1\u{a0}Mar\u{a0}2026: 5.0 (7 votes, still running)",
            ])
        #expect(
            try texts("title", language: "de-AT").dropFirst().prefix(2) == [
                "5.–18.\u{a0}Jan.\u{a0}2026: 7,4 (12 Stimmen)",
                "19.\u{a0}Jan. – 1.\u{a0}Feb.\u{a0}2026: 3,3 (1 Stimme)",
            ])
        #expect(
            try texts("desc", language: "en") == [
                "Line chart of 4 sprints since 5\u{a0}Jan 2026, scale from 0 to 10. "
                    + "Latest 5.0 (16\u{a0}Feb – 1\u{a0}Mar\u{a0}2026, still running). "
                    + "Highest 10.0 (2–15\u{a0}Feb\u{a0}2026), lowest 3.3 (19\u{a0}Jan – 1\u{a0}Feb\u{a0}2026)."
            ])
    }

    /// Which of three sprints were imported, and what the heading and the description say.
    @Test(
        arguments: [
            ([true, true, false], "en", "imported up to 1\u{a0}Feb\u{a0}2026"),
            ([true, true, true], "de", "bis 15.\u{a0}Feb.\u{a0}2026 importiert"),
            ([false, true, false], "en", "partly imported"), ([true, false, true], "de", "teilweise importiert"),
        ] as [([Bool], String, String)])
    func `Heading, description and dots mark imported results`(
        imported: [Bool], language: String, text: String
    ) throws {
        let spans = SprintCalendar.isoFortnight.spans(
            from: try SprintTestData.instant("2026-01-05T00:00:00Z"),
            until: try SprintTestData.instant("2026-02-10T00:00:00Z"), in: .gmt)
        let points = zip(spans, imported).map {
            HistoryPoint(label: $0.label, start: $0.start, end: $0.end, happiness: 7, votes: 3, isImported: $1)
        }
        #expect(points.count == 3)
        let svg = HistoryChart(teamName: "T", points: points, language: language).svg()
        let elements = try #require(Self.elements(of: svg))
        #expect(elements.contains { $0.name == "text" && $0.text.hasSuffix(" \(text)") })
        let description = try #require(elements.first { $0.name == "desc" }?.text)
        #expect(description.hasSuffix(" \(text.prefix(1).uppercased())\(text.dropFirst())."))
        let mark = language == "de" ? "(3 Stimmen, importiert)" : "(3 votes, imported)"
        let dots = elements.filter { $0.name == "title" }.dropFirst()
        #expect(dots.map { $0.text.hasSuffix(mark) } == imported)
    }

    @Test func `A chart without imported results does not mention them`() {
        #expect(!HistoryChart(teamName: "T", points: Self.points(5)).svg().contains("mported"))
    }

    @Test(arguments: [0, 1, 26])
    func `With the dark rules in force, the automatic chart has the dark one's colours`(count: Int) throws {
        let auto = HistoryChart(teamName: "T", points: Self.points(count), appearance: .auto)
        let dark = HistoryChart(teamName: "T", points: Self.points(count), appearance: .dark)
        let elements = try #require(Self.elements(of: auto.svg())).filter { $0.name != "style" }
        let painted = elements.map { element -> [String: String] in
            var attributes = element.attributes
            guard let paint = attributes["class"].flatMap(ChartPaint.init(rawValue:)) else { return attributes }
            for rule in paint.colours(in: .dark) { attributes[rule.name] = rule.colour }
            return attributes
        }
        #expect(painted == (try #require(Self.elements(of: dark.svg()))).map(\.attributes))
    }

    @Test func `An empty history says so`() throws {
        let english = try #require(Self.elements(of: HistoryChart(teamName: "T", points: []).svg()))
        #expect(english.contains { $0.name == "text" && $0.text == "No results yet" })
        let german = HistoryChart(teamName: "T", points: [], language: "de").svg()
        #expect(german.contains("Noch keine Ergebnisse"))
    }

    @Test func `Unpublished sprints are bridged by a dashed line`() throws {
        func paths(_ missing: Set<Int>) throws -> (lines: Int, bridges: Int) {
            let svg = HistoryChart(teamName: "T", points: Self.points(20, missing: missing)).svg()
            let elements = try #require(Self.elements(of: svg))
            return (
                elements.count { $0.name == "path" && $0.attributes["fill"] == "none" },
                elements.count { $0.name == "line" && $0.attributes["class"] == "hm-line" },
            )
        }
        #expect(try paths([]) == (1, 0))
        #expect(try paths([5, 6]) == (2, 1))
        // A single sprint between two gaps is a dot without a line.
        #expect(try paths([5, 7]) == (2, 2))
    }

    @Test(arguments: [1, 2, 5, 26, 52, 104, 700])
    func `Labels and years keep their distance and stay in the picture`(count: Int) {
        for size in [HistoryChart.Size(), .init(width: 240, height: 160), .init(width: 360, height: 220)] {
            for missing in [[], [1, 2, 9], Set(3..<(max(count - 2, 3)))] {
                let layout = ChartLayout(size: size, points: Self.points(count, missing: missing))
                let boxes = layout.ticks.map { tick in
                    let half = SVGText.width(of: tick.text, fontSize: layout.labelSize) / 2
                    return (left: tick.x - half, right: tick.x + half)
                }
                #expect(!boxes.isEmpty)
                #expect(zip(boxes, boxes.dropFirst()).allSatisfy { $0.right < $1.left })
                #expect(boxes.allSatisfy { $0.left >= 0 && $0.right <= layout.width })
                #expect(zip(layout.years, layout.years.dropFirst()).allSatisfy { $1.x - $0.x >= 40 })
            }
        }
    }

    @Test(arguments: [
        (1, "5\u{a0}Jan"), (2, "19\u{a0}Jan"), (3, "2\u{a0}Feb"), (7, "Mar"),
    ])
    func `The axis names months, and days while there are too few months`(count: Int, last: String) throws {
        let points = SprintCalendar.isoFortnight.spans(
            from: try SprintTestData.instant("2026-01-05T00:00:00Z"),
            until: try SprintTestData.instant("2027-01-01T00:00:00Z"), in: .gmt
        ).prefix(count).map {
            HistoryPoint(label: $0.label, start: $0.start, end: $0.end, happiness: 5, votes: 3)
        }
        let ticks = ChartLayout(size: HistoryChart.Size(), points: points).ticks
        #expect(ticks.last?.text == last)
        #expect(Set(ticks.map(\.text)).count == ticks.count)
    }

    @Test func `Days and months are those of the team's time zone`() {
        let point = HistoryPoint(
            label: SprintLabel(year: 2026, number: 9), start: Date(timeIntervalSince1970: 1_777_586_400),
            end: Date(timeIntervalSince1970: 1_778_796_000), happiness: 5, votes: 3)
        // Midnight of 1 May in Vienna is 22:00 of 30 April in Greenwich.
        for (zone, dates) in [("Europe/Vienna", "1–14\u{a0}May"), ("UTC", "30\u{a0}Apr – 13\u{a0}May")] {
            let words = ChartTexts(language: "en", zone: TimeZone(identifier: zone) ?? .gmt)
            #expect(words.dot(point) == "\(dates)\u{a0}2026: 5.0 (3 votes)")
        }
    }

    @Test func `Points without a finite value are left out, and others kept within the scale`() throws {
        let spans = Self.points(4)
        let points = zip(spans, [Double.nan, .infinity, -3, 1e300]).map {
            HistoryPoint(label: $0.label, start: $0.start, end: $0.end, happiness: $1, votes: 1)
        }
        let elements = try #require(Self.elements(of: HistoryChart(teamName: "T", points: points).svg()))
        let heights = elements.filter { $0.name == "circle" }.compactMap { $0.attributes["cy"] }
        #expect(heights == ["372", "92"])
    }

    @Test func `Sizes beyond the limits become the nearest allowed`() {
        #expect(HistoryChart.Size(width: -1, height: .max) == HistoryChart.Size(width: 240, height: 3000))
    }

    @Test(arguments: ["", "1", "a b\"><x", "ä", "--"])
    func `An ID is always one that CSS and XML can name`(id: String) throws {
        let elements = try #require(Self.elements(of: HistoryChart(teamName: "T", points: [], id: id).svg()))
        let written = try #require(elements.first?.attributes["id"])
        #expect(written.wholeMatch(of: /[A-Za-z][A-Za-z0-9-]*/) != nil)
    }

    @Test func `The line never leaves the range of the two points it joins`() {
        for points in [26, 104].map({ Self.points($0) }) {
            let curve = points.enumerated().map {
                MonotoneCurve.Point(x: Double($0.offset * 10), y: $0.element.happiness * 30)
            }
            let numbers = MonotoneCurve.path(through: curve).split { "MC ".contains($0) }.compactMap { Double($0) }
            #expect(numbers.count == 2 + 6 * (curve.count - 1))
            // If the control points are within the range, so is the whole cubic.
            for (index, (from, to)) in zip(curve, curve.dropFirst()).enumerated() {
                let range = (min(from.y, to.y) - 0.1)...(max(from.y, to.y) + 0.1)
                #expect(range.contains(numbers[2 + 6 * index + 1]) && range.contains(numbers[2 + 6 * index + 3]))
            }
        }
    }
}
