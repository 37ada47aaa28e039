import Foundation

/// The chart's texts in one language.
struct ParticipationTexts {
    let charts: ChartTexts

    private var words: LocalizedTexts { charts.words }
    var title: String { words.text("charts.participation") }

    func percent(_ share: Double) -> String { words.percent(share) }

    /// The month in which a sprint begins: `Nov`.
    func month(of bar: ParticipationChart.Bar) -> String {
        charts.name(ofMonth: charts.day(of: bar.start).month)
    }

    /// The tooltip of a bar: `9–22 Nov 2026: 86% (6 of 7 voted, 80% a year earlier). Started: Shorter daily`.
    func name(of bar: ParticipationChart.Bar) -> String {
        let share = share(of: bar)
        return bar.begun.isEmpty
            ? share
            : words.text("charts.shareAndBegun", ["share": share, "actions": charts.actions(bar.begun)])
    }

    private func share(of bar: ParticipationChart.Bar) -> String {
        let dates = dates(of: bar)
        guard let share = bar.share else { return words.text("charts.withheld", ["dates": dates]) }
        let facts = charts.list([
            words.text("charts.voted", ["votes": String(bar.votes), "eligible": String(bar.eligible)]),
            bar.isImported ? charts.importedMark : nil,
            bar.yearBefore.map { charts.yearBefore(percent($0), isImported: bar.isYearBeforeImported) },
        ])
        return words.text("charts.share", ["dates": dates, "share": percent(share), "facts": facts])
    }

    private func dates(of bar: ParticipationChart.Bar) -> String { charts.dates(from: bar.start, to: bar.end) }

    /// A description in a few sentences for readers who cannot see the chart.
    func summary(of bars: [ParticipationChart.Bar]) -> String {
        let known = bars.compactMap { bar in bar.share.map { (dates: dates(of: bar), share: $0) } }
        guard let latest = known.last, let most = known.max(by: { $0.share < $1.share }),
            let least = known.min(by: { $0.share < $1.share })
        else { return words.text("charts.noNumbers") }
        return words.text(
            "charts.participationSummary",
            [
                "count": String(bars.count), "latest": percent(latest.share), "latestDates": latest.dates,
                "most": percent(most.share), "mostDates": most.dates, "least": percent(least.share),
                "leastDates": least.dates,
            ])
    }
}
