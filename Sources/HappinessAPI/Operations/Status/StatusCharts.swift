import Domain
import Foundation
import Services

/// The charts of the process that rendered the page.
struct StatusCharts {
    let status: SystemStatus
    let writer: StatusTexts

    /// In the order of the page.
    var all: [StatusPage.Chart] { [memory, cpu, requests, connections] }

    private var words: LocalizedTexts { writer.words }
    private var latest: ProcessLoad? { status.history.last?.load }

    private var memory: StatusPage.Chart {
        chart(
            words.text("status.memory"), now: latest.map { writer.memory($0.memory) },
            [(.usual, { Double($0.memory) / 1_048_576 })], atLeast: 100
        ) { "\(Int($0)) MiB" }
    }

    private var cpu: StatusPage.Chart {
        chart(
            words.text("status.cpu"), now: latest.map { writer.cpu($0.cpu) }, [(.usual, { $0.cpu * 100 })], atLeast: 100
        ) {
            "\(Int($0)) %"
        }
    }

    private var requests: StatusPage.Chart {
        let series: [(paint: LoadChart.Paint, value: @Sendable (ProcessLoad) -> Double)] = [
            (.usual, { Double($0.requests?.answered ?? 0) }), (.warning, { Double($0.requests?.refused ?? 0) }),
            (.problem, { Double($0.requests?.failed ?? 0) }),
        ]
        let names = [words.text("status.answered"), words.text("status.refused"), words.text("status.failed")]
        let rates = latest?.requests.map { [$0.answered, $0.refused, $0.failed] }
        let legend = zip(series, names).enumerated().map { index, one in
            StatusPage.Key(
                paint: one.0.paint.rawValue, label: one.1, value: rates.map { writer.rate($0[index]) } ?? "–")
        }
        return chart(
            words.text("status.requests"), now: latest?.requests.map { writer.rate($0.all) }, series, atLeast: 10,
            legend: legend
        ) { "\(Int($0))" }
    }

    private var connections: StatusPage.Chart {
        chart(
            words.text("status.connections"), now: latest?.connections.map(writer.connections),
            [(.usual, { Double($0.connections ?? 0) })], atLeast: 20
        ) { "\(Int($0))" }
    }

    private func chart(
        _ title: String, now: String?, _ series: [(paint: LoadChart.Paint, value: @Sendable (ProcessLoad) -> Double)],
        atLeast: Double, legend: [StatusPage.Key] = [], label: @escaping @Sendable (Double) -> String
    ) -> StatusPage.Chart {
        let now = now ?? "–"
        let chart = LoadChart(
            title: words.text("status.chart", ["what": title, "now": now]), end: status.instant,
            series: series.map { one in
                LoadChart.Series(one.paint, status.history.map { (instant: $0.instant, value: one.value($0.load)) })
            }, atLeast: atLeast, ends: (words.text("status.hourAgo"), words.text("status.now")),
            empty: words.text("status.noHistory"), label: label)
        return StatusPage.Chart(title: title, now: now, drawing: Drawing(svg: chart.svg()), legend: legend)
    }
}
