import Domain
import Foundation

/// A team's experiments, and the form for a new one.
struct TeamExperimentListPage: Page {
    static let template = "manage-experiments"

    let head: ManageHead
    let experiments: [Row]
    let hasExperiments: Bool
    let kinds: [FormOption]
    let first: String
    let last: String
    let earliest: String
    let sides: [Side]

    struct Row: Sendable {
        let address: SitePath
        let label: String
        let state: String
    }

    /// The fields of one wording.
    struct Side: Sendable {
        let title: String
        let texts: [ReminderTextField]
    }

    init(
        _ head: ManageHead, form: TeamExperimentForm, experiments: [ReminderExperiment], zone: TimeZone,
        today: CalendarDay, words: LocalizedTexts, language: PageLanguage
    ) {
        self.head = head
        self.experiments = experiments.map { experiment in
            let texts = ExperimentTexts(words: words, language: language, zone: zone, today: today)
            return Row(
                address: .experiment(experiment.id, of: experiment.teamID), label: texts.period(experiment),
                state: texts.state(experiment))
        }
        hasExperiments = !experiments.isEmpty
        kinds = ReminderOccasion.Kind.allCases.map {
            FormOption($0.rawValue, words.text($0), isChosen: $0.rawValue == form.reminder)
        }
        first = form.first
        last = form.last
        earliest = today.adding(days: 1).description
        sides = ReminderExperiment.Side.allCases.map { side in
            Side(
                title: ExperimentTexts.name(of: side, words),
                texts: MailLocale.allCases.map { locale in
                    ReminderTextField(
                        // An empty field falls back to the team's own text, which is not shown here.
                        form.texts[side]?[locale] ?? ReminderText(), .first, locale, standard: ReminderText(),
                        words: words, prefix: TeamExperimentForm.prefix(of: side))
                })
        }
    }
}

/// One experiment: its wordings and results.
struct TeamExperimentPage: Page {
    static let template = "manage-experiment"

    let head: ManageHead
    /// Path of the list.
    let list: SitePath
    let kind: String
    let period: String
    let state: String
    /// Label of the button that ends it; `nil` if it cannot be ended.
    let endLabel: String?
    /// Explains the button.
    let endText: String
    let sides: [Side]
    /// `nil` if the viewer is not in the team.
    let report: Report?

    /// One of the two wordings.
    struct Side: Sendable {
        let title: String
        let texts: [Text]
        let hasTexts: Bool
    }

    /// A wording's text in one language.
    struct Text: Sendable {
        let language: String
        let code: String
        let title: String
        let body: String
    }

    /// The results.
    struct Report: Sendable {
        /// The conclusion in one sentence.
        let verdict: String
        /// Sentences with the numbers.
        let numbers: [String]
        let sprints: [Sprint]
        let hasSprints: Bool
    }

    /// The results of one closed sprint.
    struct Sprint: Sendable {
        let dates: String
        let a: String
        let b: String
        /// Why there are no numbers.
        let note: String?
    }

    /// - Parameter report: `nil` if the viewer may not read it.
    init(
        _ head: ManageHead, list: SitePath, experiment: ReminderExperiment, report: ExperimentReport?,
        zone: TimeZone, today: CalendarDay, words: LocalizedTexts, language: PageLanguage
    ) {
        let texts = ExperimentTexts(words: words, language: language, zone: zone, today: today)
        self.head = head
        self.list = list
        kind = words.text(experiment.kind)
        period = texts.period(experiment)
        state = texts.state(experiment)
        // An experiment that has not run on an earlier day is removed completely.
        let isRemoved = today <= experiment.first
        let label = isRemoved ? words.text("experiments.remove") : words.text("experiments.end")
        endLabel = experiment.last < today ? nil : label
        endText = isRemoved ? words.text("experiments.removeText") : words.text("experiments.endText")
        sides = ReminderExperiment.Side.allCases.map { side in
            let wording = experiment.wordings[side] ?? [:]
            return Side(
                title: ExperimentTexts.name(of: side, words),
                texts: MailLocale.allCases.compactMap { locale in
                    wording[locale].map {
                        Text(language: words.name(of: locale), code: locale.rawValue, title: $0.title, body: $0.body)
                    }
                }, hasTexts: !wording.isEmpty)
        }
        self.report = report.map { Report($0, texts) }
    }
}

extension TeamExperimentPage.Report {
    fileprivate init(_ report: ExperimentReport, _ texts: ExperimentTexts) {
        verdict = texts.verdict(report)
        numbers = texts.numbers(report)
        sprints = report.sprints.map { texts.sprint($0) }
        hasSprints = !report.sprints.isEmpty
    }
}
