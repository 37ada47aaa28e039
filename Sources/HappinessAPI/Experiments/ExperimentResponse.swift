import Domain
import Foundation

/// Each side's texts by language; a missing or empty one falls back to the team's own or the standard text.
struct WordingsResponse: Encodable {
    let a: [String: ReminderText]
    let b: [String: ReminderText]
}

/// An experiment as leads and administrators see it.
struct ExperimentResponse: Encodable {
    let id: String
    let reminder: ReminderOccasion.Kind
    /// In the team's time zone, like `last`.
    let first: CalendarDay
    let last: CalendarDay
    let wordings: WordingsResponse

    init(_ experiment: ReminderExperiment) {
        id = experiment.id.description
        reminder = experiment.kind
        first = experiment.first
        last = experiment.last
        wordings = WordingsResponse(
            a: (experiment.wordings[.a] ?? [:]).response, b: (experiment.wordings[.b] ?? [:]).response)
    }
}

/// An experiment and its results.
struct ReportedExperimentResponse: Encodable {
    let experiment: ExperimentResponse
    /// Null unless the caller is in the team.
    @ExplicitNull var report: ExperimentReportResponse?

    init(_ experiment: ReminderExperiment, report: ExperimentReport?) {
        self.experiment = ExperimentResponse(experiment)
        self.report = report.map { ExperimentReportResponse($0) }
    }
}

/// The results of an experiment so far.
struct ExperimentReportResponse: Encodable {
    /// The members who got one wording.
    struct Side: Encodable {
        let members: Int
        let voted: Int

        init(_ counts: SideCounts) {
            members = counts.members
            voted = counts.voted
        }
    }

    /// Percentage points, with the bounds of the 95 % interval.
    struct Difference: Encodable {
        let points: Double
        let low: Double
        let high: Double

        init(_ difference: ProportionDifference) {
            points = 100 * difference.value
            low = 100 * difference.low
            high = 100 * difference.high
        }
    }

    /// A closed sprint in which the reminder was sent.
    struct Sprint: Encodable {
        let label: String
        let start: Date
        /// `measured`, `withheld`, `not-measured`, or `waiting`.
        let state: String
        /// Null unless measured; the same holds for `b`.
        @ExplicitNull var a: Side?
        @ExplicitNull var b: Side?

        init(_ measured: ExperimentReport.MeasuredSprint) {
            label = measured.sprint.label.description
            start = measured.sprint.start
            switch measured.result {
            case .measured(let counts):
                state = "measured"
                a = Side(counts.a)
                b = Side(counts.b)
                return
            case .withheld: state = "withheld"
            case .missed: state = "not-measured"
            case nil: state = "waiting"
            }
            a = nil
            b = nil
        }
    }

    let verdict: ExperimentReport.Verdict
    /// Sum over the measured sprints.
    let a: Side
    let b: Side
    /// A's participation minus B's; null without a measured sprint.
    @ExplicitNull var difference: Difference?
    let sprints: [Sprint]

    init(_ report: ExperimentReport) {
        verdict = report.verdict
        a = Side(report.counts.a)
        b = Side(report.counts.b)
        difference = report.difference.map { Difference($0) }
        sprints = report.sprints.map { Sprint($0) }
    }
}
