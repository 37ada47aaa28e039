import Domain
import Foundation
import Hummingbird
import Ports
import Services

/// Experiments that compare two wordings of a reminder.
struct TeamExperimentPageController: Sendable {
    let forms: ManageForms
    let experiments: ExperimentService
    let clock: WallClock

    /// `GET /teams/{team}/manage/experiments`
    func list(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { try await listPage($0) }
    }

    /// `POST /teams/{team}/manage/experiments`
    func add(_ request: Request, context: AppRequestContext) async throws -> Response {
        var typed: TeamExperimentForm?
        return try await forms.submit(TeamExperimentForm.self, request, context, then: .experiment) {
            try await listPage($0, typed: typed)
        } _: { form, visit in
            typed = form
            let team = try visit.visitedTeam().team
            let experiment = try form.experiment(
                of: team.id, after: CalendarDay(instant: clock.now, in: team.settings.zone), visit)
            do {
                _ = try await experiments.add(experiment, by: visit.principal.caller)
            } catch let error as AppError where error.code == .unprocessable {
                throw FormProblem(visit.words.text(forWordsOfReminder: error))
            }
        }
    }

    /// `GET /teams/{team}/manage/experiments/{experiment}`: shows the report.
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { try await reportPage($0, context) }
    }

    /// `POST /teams/{team}/manage/experiments/{experiment}/end`
    func end(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.submit(NoFields.self, request, context, then: .experimentEnded) {
            try await reportPage($0, context)
        } _: { _, visit in
            try await experiments.end(
                context.pathID("experiment"), of: try visit.visitedTeam().team.id, by: visit.principal.caller)
        }
    }

    private func listPage(_ visit: PageVisit, typed: TeamExperimentForm? = nil) async throws -> TeamExperimentListPage {
        let team = try visit.visitedTeam().team
        return TeamExperimentListPage(
            ManageHead(visit, team, address: .experiments(of: team.id)), form: typed ?? TeamExperimentForm(),
            experiments: try await experiments.list(of: team.id, by: visit.principal.caller),
            zone: team.settings.zone, today: CalendarDay(instant: clock.now, in: team.settings.zone),
            words: visit.words, language: visit.frame.language)
    }

    private func reportPage(_ visit: PageVisit, _ context: AppRequestContext) async throws -> TeamExperimentPage {
        let visited = try visit.visitedTeam()
        let found = try await experiments.find(
            context.pathID("experiment"), of: visited.team.id, by: visit.principal.caller)
        let team = visited.team.id
        return TeamExperimentPage(
            ManageHead(visit, visited.team, address: .experiment(found.experiment.id, of: team)),
            list: .experiments(of: team), experiment: found.experiment, report: found.report,
            zone: visited.team.settings.zone, today: CalendarDay(instant: clock.now, in: visited.team.settings.zone),
            words: visit.words, language: visit.frame.language)
    }
}

/// The form's fields, as text.
struct TeamExperimentForm: Decodable, Sendable {
    var reminder = ReminderOccasion.Kind.first.rawValue
    var first = ""
    var last = ""
    /// Texts by side and language.
    var texts: [ReminderExperiment.Side: [MailLocale: ReminderText]] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let values = try [String: String](from: decoder)
        reminder = values["reminder"] ?? reminder
        first = values["first"] ?? ""
        last = values["last"] ?? ""
        for side in ReminderExperiment.Side.allCases {
            let fields = ReminderTextForm(values, prefix: Self.prefix(of: side))
            for locale in MailLocale.allCases {
                texts[side, default: [:]][locale] = fields.text(.first, locale)
            }
        }
    }

    /// Prefix of a side's field names; a separate field contains the reminder.
    static func prefix(of side: ReminderExperiment.Side) -> String { "\(side.rawValue)-" }

    /// - Throws: `FormProblem` for invalid days, or equal wordings.
    func experiment(of team: Team.ID, after today: CalendarDay, _ visit: PageVisit) throws -> ReminderExperiment {
        guard let kind = ReminderOccasion.Kind(rawValue: reminder) else {
            throw AppError(.malformed, "There’s no such reminder.")
        }
        let days = try TypedDays(first: first, last: last).completeRange(visit)
        let (first, last) = (days.lowerBound, days.upperBound)
        let words = visit.words
        guard today < first else { throw FormProblem(words.text("experiments.tooEarly"), at: "first") }
        guard ReminderExperiment.lengths.contains(first.days(until: last) + 1) else {
            throw FormProblem(words.text("experiments.tooLong"), at: "last")
        }
        func trimmed(_ side: ReminderExperiment.Side) -> [ReminderText] {
            MailLocale.allCases.map { locale in
                let text = texts[side]?[locale] ?? ReminderText()
                return ReminderText(
                    title: text.title.trimmingCharacters(in: .whitespacesAndNewlines),
                    body: text.body.trimmingCharacters(in: .whitespacesAndNewlines))
            }
        }
        guard trimmed(.a) != trimmed(.b) else { throw FormProblem(words.text("experiments.same")) }
        return ReminderExperiment(teamID: team, kind: kind, first: first, last: last, wordings: texts)
    }
}
