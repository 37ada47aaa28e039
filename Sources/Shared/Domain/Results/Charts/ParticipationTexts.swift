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

    /// The tooltip of a bar: `9–22 Nov 2026: 86% (6 of 7 answers, 80% a year earlier). Started: Shorter daily`.
    func name(of bar: ParticipationChart.Bar) -> String {
        let readout = readout(of: bar)
        let share = words.text(
            "charts.share", ["dates": readout.dates, "share": readout.value, "facts": readout.facts])
        return readout.begun.map { charts.dot(share, begun: $0) } ?? share
    }

    /// The same in parts.
    func readout(of bar: ParticipationChart.Bar) -> ChartReadout {
        let begun = bar.begun.isEmpty ? nil : words.text("charts.begunHere", ["actions": charts.actions(bar.begun)])
        return ChartReadout(
            value: bar.share.map(percent) ?? "–", dates: dates(of: bar), facts: facts(of: bar), begun: begun)
    }

    private func facts(of bar: ParticipationChart.Bar) -> String {
        guard bar.share != nil else { return words.text("charts.tooFew") }
        return charts.list([
            words.text("charts.voted", ["votes": String(bar.votes), "eligible": String(bar.eligible)]),
            bar.isImported ? charts.importedMark : nil,
            bar.yearBefore.map { charts.yearBefore(percent($0), isImported: bar.isYearBeforeImported) },
        ])
    }

    private func dates(of bar: ParticipationChart.Bar) -> String { charts.dates(from: bar.start, to: bar.end) }

    /// A description in a few sentences for readers who cannot see the chart.
    func summary(of bars: [ParticipationChart.Bar]) -> String {
        let known = bars.compactMap { bar in bar.share.map { (dates: dates(of: bar), share: $0) } }
        guard let latest = known.last, let most = known.max(by: { $0.share < $1.share }),
            let least = known.min(by: { $0.share < $1.share })
        else { return words.text("charts.noNumbers") }
        return words.text(
            "charts.participationSummary", count: bars.count,
            [
                "count": String(bars.count), "latest": percent(latest.share), "latestDates": latest.dates,
                "most": percent(most.share), "mostDates": most.dates, "least": percent(least.share),
                "leastDates": least.dates,
            ])
    }
}
