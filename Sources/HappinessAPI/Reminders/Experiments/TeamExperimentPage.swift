import Shared

/// A team's experiments, and the form for another one.
struct TeamExperimentListPage: Page {
    static let template = "manage-experiments"

    let head: ManageHead
    let experiments: [Row]
    let hasExperiments: Bool
    let kinds: [ManageChoice]
    let first: String
    let last: String
    let earliest: String
    let sides: [Side]

    /// An experiment.
    struct Row: Sendable {
        let address: String
        let label: String
        let state: String
    }

    /// One wording's fields.
    struct Side: Sendable {
        let title: String
        let texts: [ReminderTextField]
    }

    init(
        _ head: ManageHead, form: TeamExperimentForm, experiments: [ReminderExperiment], today: CalendarDay,
        words: PageWords, language: PageLanguage
    ) {
        self.head = head
        self.experiments = experiments.map { experiment in
            let texts = ExperimentWords(words: words, language: language, today: today)
            return Row(
                address: "\(head.address)/\(experiment.id)", label: texts.period(experiment),
                state: texts.state(experiment))
        }
        hasExperiments = !experiments.isEmpty
        kinds = ReminderOccasion.Kind.allCases.map {
            ManageChoice(
                $0.rawValue, ExperimentWords.name(of: $0, words), isChosen: $0.rawValue == form.reminder)
        }
        first = form.first
        last = form.last
        earliest = today.adding(days: 1).description
        sides = ReminderExperiment.Side.allCases.map { side in
            Side(
                title: ExperimentWords.name(of: side, words),
                texts: MailLocale.allCases.map { locale in
                    ReminderTextField(
                        // What an empty field stands for are the team's own words, which are not shown here.
                        form.texts[side]?[locale] ?? ReminderText(), .first, locale, standard: ReminderText(),
                        prefix: TeamExperimentForm.prefix(of: side))
                })
        }
    }
}

/// One experiment: its wordings and what it has shown.
struct TeamExperimentPage: Page {
    static let template = "manage-experiment"

    let head: ManageHead
    /// Where all of them are.
    let list: String
    let kind: String
    let period: String
    let state: String
    /// Whether it can be ended, and what the button says then.
    let endLabel: String?
    /// What that means.
    let endText: String
    let sides: [Side]
    /// `nil` for who is not in the team.
    let report: Report?

    /// One wording.
    struct Side: Sendable {
        let title: String
        let texts: [Text]
        let hasTexts: Bool
    }

    /// A wording in a language.
    struct Text: Sendable {
        let language: String
        let code: String
        let title: String
        let body: String
    }

    /// What it has shown.
    struct Report: Sendable {
        /// In one sentence.
        let verdict: String
        /// The numbers behind it, in sentences.
        let numbers: [String]
        let sprints: [Sprint]
        let hasSprints: Bool
    }

    /// A closed sprint's part.
    struct Sprint: Sendable {
        let label: String
        let a: String
        let b: String
        /// Why there are no numbers.
        let note: String?
    }

    /// - Parameter report: `nil` for who may not read it.
    init(
        _ head: ManageHead, list: String, experiment: ReminderExperiment, report: ExperimentReport?,
        today: CalendarDay, words: PageWords, language: PageLanguage
    ) {
        let texts = ExperimentWords(words: words, language: language, today: today)
        self.head = head
        self.list = list
        kind = ExperimentWords.name(of: experiment.kind, words)
        period = texts.period(experiment)
        state = texts.state(experiment)
        // One that has no yesterday leaves nothing behind.
        let isRemoved = today <= experiment.first
        let label = isRemoved ? words.text("experiments.remove") : words.text("experiments.end")
        endLabel = experiment.last < today ? nil : label
        endText = isRemoved ? words.text("experiments.removeText") : words.text("experiments.endText")
        sides = ReminderExperiment.Side.allCases.map { side in
            let wording = experiment.wordings[side] ?? [:]
            return Side(
                title: ExperimentWords.name(of: side, words),
                texts: MailLocale.allCases.compactMap { locale in
                    wording[locale].map {
                        Text(language: locale.name, code: locale.rawValue, title: $0.title, body: $0.body)
                    }
                }, hasTexts: !wording.isEmpty)
        }
        self.report = report.map { Report($0, texts) }
    }
}

extension TeamExperimentPage.Report {
    fileprivate init(_ report: ExperimentReport, _ texts: ExperimentWords) {
        verdict = texts.verdict(report)
        numbers = texts.numbers(report)
        sprints = report.sprints.map { texts.sprint($0) }
        hasSprints = !report.sprints.isEmpty
    }
}
