import Domain
import Foundation
import Services

/// Texts about an experiment.
struct ExperimentTexts: Sendable {
    let words: LocalizedTexts
    let language: PageLanguage
    let zone: TimeZone
    /// Today in the team's time zone.
    let today: CalendarDay

    static func name(of side: ReminderExperiment.Side, _ words: LocalizedTexts) -> String {
        words.text("experiments.\(side.rawValue)")
    }

    /// Its first and last day.
    func period(_ experiment: ReminderExperiment) -> String {
        "\(experiment.first.text(in: language)) – \(experiment.last.text(in: language))"
    }

    /// Whether it is planned, running or over.
    func state(_ experiment: ReminderExperiment) -> String {
        if today < experiment.first { return words.text("experiments.ahead") }
        return today <= experiment.last ? words.text("experiments.running") : words.text("experiments.over")
    }

    /// The conclusion from the numbers.
    func verdict(_ report: ExperimentReport) -> String {
        switch report.verdict {
        case .tooFew where report.difference == nil: words.text("experiments.tooFew")
        // More sprints would not change it, so it is not called “yet”.
        case .tooFew: words.text("experiments.smallGroups")
        case .noDifferenceShown: words.text("experiments.noDifference")
        case .aBetter: words.text("experiments.aBetter")
        case .bBetter: words.text("experiments.bBetter")
        }
    }

    /// The totals and their uncertainty; empty without a measured sprint.
    func numbers(_ report: ExperimentReport) -> [String] {
        guard let difference = report.difference else { return [] }
        func points(_ share: Double) -> Int { Int((100 * share).rounded()) }
        let shares = words.text(
            "experiments.shares", ["a": share(of: report.counts.a), "b": share(of: report.counts.b)])
        let interval = words.text(
            "experiments.interval", count: abs(points(difference.value)),
            [
                "points": String(points(difference.value)), "low": String(points(difference.low)),
                "high": String(points(difference.high)),
            ])
        return [shares, interval]
    }

    /// The row of a closed sprint.
    func sprint(_ measured: ExperimentReport.MeasuredSprint) -> TeamExperimentPage.Sprint {
        let dates = SprintTexts(words: words, zone: zone).shortDatesWithYear(of: measured.sprint)
        func without(_ note: String) -> TeamExperimentPage.Sprint {
            TeamExperimentPage.Sprint(dates: dates, a: "–", b: "–", note: note)
        }
        switch measured.result {
        case .measured(let counts):
            return TeamExperimentPage.Sprint(dates: dates, a: share(of: counts.a), b: share(of: counts.b), note: nil)
        case .withheld: return without(words.text("experiments.withheld"))
        case .missed: return without(words.text("experiments.missed"))
        case nil: return without(words.text("experiments.waiting"))
        }
    }

    /// `12 of 20 (60%)`.
    private func share(of counts: SideCounts) -> String {
        words.text(
            "experiments.share",
            [
                "voted": String(counts.voted), "members": String(counts.members),
                "percent": counts.participation.map { words.percent($0) } ?? "–",
            ])
    }
}
