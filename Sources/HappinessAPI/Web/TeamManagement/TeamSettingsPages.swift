import Foundation
import Hummingbird
import Shared

/// What leads decide about their team's sprints.
struct TeamSettingsPages: Sendable {
    let forms: ManageForms
    let teams: TeamService
    let sprints: SprintService

    static func path(of team: Team.ID) -> String { "\(TeamOverviewPages.path(of: team))/settings" }

    /// `GET /teams/{team}/manage/settings`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { try await page($0) }
    }

    /// `POST /teams/{team}/manage/settings`
    func change(_ request: Request, context: AppRequestContext) async throws -> Response {
        var typed: TeamSettingsForm?
        return try await forms.take(TeamSettingsForm.self, request, context, then: .settings) {
            try await page($0, typed: typed)
        } _: { form, visit in
            typed = form
            let team = try visit.visitedTeam().team
            let change = try form.change(visit.words)
            do {
                _ = try await teams.change(
                    team.id, name: form.name == team.name ? nil : form.name, settings: change,
                    by: visit.principal.caller)
            } catch let error as AppError where error.reason == "name-taken" {
                throw FormProblem(text: visit.words.text("teamSettings.nameTaken"))
            }
        }
    }

    private func page(_ visit: PageVisit, typed: TeamSettingsForm? = nil) async throws -> TeamSettingsPage {
        let team = try visit.visitedTeam().team
        let running = try await sprints.runningSprint(of: team.id)
        return TeamSettingsPage(
            ManageHead(visit, team, address: Self.path(of: team.id)), team: team,
            form: typed ?? TeamSettingsForm(team), running: running, words: visit.words,
            language: visit.frame.language)
    }
}

/// The fields of the form, as text.
struct TeamSettingsForm: Decodable, Sendable {
    var name: String
    /// `isoFortnight` or `cadence`.
    var calendar: String
    var weeks: String
    var anchor: String
    var timeZone: String
    var threshold: String
    var policy: String
    var feedbackReaders: String
    var graceDays: String

    /// A team as it is.
    init(_ team: Team) {
        let settings = team.settings
        name = team.name
        switch settings.calendar {
        case .isoFortnight:
            calendar = "isoFortnight"
            weeks = "2"
            anchor = ""
        case .cadence(let day, let length):
            calendar = "cadence"
            weeks = String(length)
            anchor = day.description
        }
        timeZone = settings.timeZone
        threshold = String(settings.threshold)
        policy = settings.policy.rawValue
        feedbackReaders = settings.feedbackReaders.rawValue
        graceDays = String(settings.graceDays)
    }

    /// - Throws: `FormProblem` naming the field that cannot be read, or is out of range.
    func change(_ words: PageWords) throws -> TeamSettingsChange {
        do {
            _ = try TeamName(name)
        } catch {
            throw FormProblem(text: words.text("teamSettings.nameProblem"))
        }
        guard let threshold = Int(threshold), TeamSettings.thresholds.contains(threshold) else {
            throw FormProblem(text: words.text("teamSettings.thresholdProblem"))
        }
        guard let zone = TimeZone(identifier: timeZone) else {
            throw FormProblem(text: words.text("teamSettings.zoneProblem"))
        }
        guard let policy = PublicationPolicy(rawValue: policy),
            let readers = Team.FeedbackReaders(rawValue: feedbackReaders), let graceDays = Int(graceDays),
            TeamSettings.graceDayRange.contains(graceDays)
        else { throw FormProblem(text: words.text("teamSettings.choose")) }
        return TeamSettingsChange(
            calendar: try chosenCalendar(words), timeZone: zone.identifier, threshold: threshold, policy: policy,
            graceDays: graceDays, feedbackReaders: readers)
    }

    private func chosenCalendar(_ words: PageWords) throws -> SprintCalendar {
        guard calendar == "cadence" else { return .isoFortnight }
        guard let day = CalendarDay(anchor), let weeks = Int(weeks), SprintCalendar.cadenceWeeks.contains(weeks) else {
            throw FormProblem(text: words.text("teamSettings.anchorProblem"))
        }
        return .cadence(anchor: day, weeks: weeks)
    }
}
