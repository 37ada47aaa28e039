import Domain
import Foundation

/// The form's fields for a team's settings, as text.
struct TeamSettingsForm: Codable, Sendable {
    var name: String
    /// `isoFortnight` or `cadence`.
    var calendar: String
    var weeks: String
    var anchor: String
    var timeZone: String
    var threshold: String
    var policy: String
    var feedbackReaders: String
    var ballots: String
    /// `nil` in a form that was opened before an update from a version without it: then it stays as it is.
    var actionAuthors: String?
    var graceDays: String
    /// The higher threshold whose effect the sender has seen and confirms; `nil` if there is none.
    var confirmedThreshold: String?

    /// The fields that define a calendar together.
    struct SprintCalendarFields: Equatable {
        var calendar: String
        var weeks: String
        var anchor: String
    }

    /// Fields that only make sense together: the length from one lead and the first week from another would be a
    /// calendar that neither wanted.
    var sprintCalendar: SprintCalendarFields {
        get { SprintCalendarFields(calendar: calendar, weeks: weeks, anchor: anchor) }
        set { (calendar, weeks, anchor) = (newValue.calendar, newValue.weeks, newValue.anchor) }
    }

    /// The team's current settings.
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
        ballots = settings.ballots.rawValue
        actionAuthors = settings.actionAuthors.rawValue
        graceDays = String(settings.graceDays)
    }

    /// Parses the fields. Values are not normalized, so what a page showed equals what was stored, even a time zone
    /// that this machine no longer knows.
    /// - Throws: `FormProblem` naming the field that is invalid or out of range.
    fileprivate func rules(_ words: LocalizedTexts) throws -> TeamRules {
        guard let threshold = Int(threshold), TeamSettings.thresholds.contains(threshold) else {
            throw FormProblem(words.text("teamSettings.thresholdProblem"), at: "threshold")
        }
        guard let policy = PublicationPolicy(rawValue: policy),
            let readers = Team.FeedbackReaders(rawValue: feedbackReaders),
            let ballots = Team.AcceptedBallots(rawValue: ballots),
            let authors = Team.ActionAuthors(rawValue: actionAuthors ?? Team.ActionAuthors.team.rawValue),
            let graceDays = Int(graceDays), TeamSettings.graceDayRange.contains(graceDays)
        else { throw FormProblem(words.text("teamSettings.choose")) }
        return TeamRules(
            name: name,
            settings: TeamSettings(
                calendar: try chosenCalendar(words), timeZone: timeZone, threshold: threshold, policy: policy,
                graceDays: graceDays, feedbackReaders: readers, ballots: ballots, actionAuthors: authors))
    }

    /// The validated name.
    fileprivate func fitName(_ words: LocalizedTexts) throws -> String {
        do {
            return try TeamName(name).text
        } catch {
            throw FormProblem(words.text("teamSettings.nameProblem"), at: "name")
        }
    }

    private func chosenCalendar(_ words: LocalizedTexts) throws -> SprintCalendar {
        guard calendar == "cadence" else { return .isoFortnight }
        guard let day = CalendarDay(anchor), let weeks = Int(weeks), SprintCalendar.cadenceWeeks.contains(weeks) else {
            throw FormProblem(words.text("teamSettings.anchorProblem"), at: "anchor")
        }
        return .cadence(anchor: day, weeks: weeks)
    }
}

extension EditForm<TeamSettingsForm> {
    /// Whether the form raises the threshold and the sender has not confirmed the effect yet.
    var needsConfirmation: Bool {
        guard let old = Int(seen.threshold), let new = Int(typed.threshold), new > old else { return false }
        return typed.confirmedThreshold != typed.threshold
    }

    /// The change requested by the form.
    /// - Throws: `FormProblem` naming the field that is invalid or out of range.
    func edit(_ words: LocalizedTexts) throws -> Edit<TeamRules> {
        let old = try seen.rules(words)
        guard TimeZone(identifier: typed.timeZone) != nil else {
            throw FormProblem(words.text("teamSettings.zoneProblem"), at: "zone")
        }
        var new = try typed.rules(words)
        if typed.actionAuthors == nil { new.settings.actionAuthors = old.settings.actionAuthors }
        if new.name != old.name { new.name = try typed.fitName(words) }
        return Edit(from: old, to: new)
    }

    /// The fields' values when the form is shown again.
    /// - Parameter present: the current settings.
    func shown(over present: TeamSettingsForm) -> TeamSettingsForm {
        var form = present
        keep(\.name, in: &form)
        keep(\.sprintCalendar, in: &form)
        keep(\.timeZone, in: &form)
        keep(\.threshold, in: &form)
        keep(\.policy, in: &form)
        keep(\.feedbackReaders, in: &form)
        keep(\.ballots, in: &form)
        if typed.actionAuthors != nil { keep(\.actionAuthors, in: &form) }
        keep(\.graceDays, in: &form)
        return form
    }

    /// Changes by other users since the form was shown.
    func changes(in team: Team, _ words: LocalizedTexts, _ language: PageLanguage) -> [ConcurrentEdit] {
        let present = TeamSettingsForm(team)
        let settings = team.settings
        let names = TeamSettingsTexts(words: words, language: language)
        func change<Part: Equatable>(
            _ part: KeyPath<TeamSettingsForm, Part>, _ field: String, _ label: String, _ value: String
        ) -> ConcurrentEdit? {
            self.change(of: part, to: present, field: field, label: label, value: value)
        }
        return [
            change(\.name, "name", words.text("teamSettings.name"), team.name),
            change(\.timeZone, "zone", words.text("teamSettings.zone"), settings.timeZone),
            change(\.sprintCalendar, "calendar", words.text("teamSettings.calendar"), names.text(settings.calendar)),
            change(\.threshold, "threshold", words.text("teamSettings.threshold"), present.threshold),
            change(\.policy, "policy", words.text("teamSettings.policy"), names.label(settings.policy)),
            change(
                \.feedbackReaders, "readers", words.text("teamSettings.readers"),
                names.label(settings.feedbackReaders)),
            change(\.ballots, "ballots", words.text("teamSettings.ballots"), names.label(settings.ballots)),
            change(
                \.actionAuthors, "action-authors", words.text("teamSettings.actionAuthors"),
                names.label(settings.actionAuthors)),
            change(\.graceDays, "grace", words.text("teamSettings.grace"), names.label(graceDays: settings.graceDays)),
        ].compactMap { $0 }
    }
}
