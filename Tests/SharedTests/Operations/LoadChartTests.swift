import Foundation
import Testing

@testable import Domain

/// Charts of the status page.
@Suite struct LoadChartTests {
    private let end = Date(timeIntervalSince1970: 1_800_000_000)

    private func chart(_ values: [Double], title: String = "Memory") -> LoadChart {
        LoadChart(
            title: title, end: end,
            series: [
                .init(.usual, values.enumerated().map { (end - Double(values.count - 1 - $0.offset) * 15, $0.element) })
            ], atLeast: 10, ends: ("an hour ago", "now"), empty: "Nothing yet"
        ) { "\(Int($0)) <MiB>" }
    }

    @Test func `The scale covers the largest value`() {
        #expect([0, 0.3, 1, 3, 9, 11, 40, 41, 4_001].map(LoadChart.scale) == [1, 0.4, 1, 4, 10, 20, 40, 100, 10_000])
    }

    @Test func `A line ends at the right, and text is escaped`() throws {
        let svg = chart([1, 5, 10], title: "<b>").svg()
        #expect(svg.contains("aria-label=\"&lt;b&gt;\"") && svg.contains("10 &lt;MiB&gt;"))
        #expect(svg.contains("class=\"hm-line\"") && svg.contains("L292 12\""))
        #expect(!svg.contains("style") && !svg.contains("<script"))
    }

    @Test func `One reading is no line`() {
        for values in [[], [5.0]] {
            let svg = chart(values).svg()
            #expect(svg.contains("Nothing yet") && !svg.contains("hm-line"))
        }
    }
}
