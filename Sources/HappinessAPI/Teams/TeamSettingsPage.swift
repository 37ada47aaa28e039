import Domain
import Foundation

/// The form for a team's settings; explains what each protects and when it takes effect.
struct TeamSettingsPage: Page {
    static let template = "manage-settings"

    let head: ManageHead
    /// The hidden field with the values that the page showed.
    let seen: String
    /// Changes by other users while the form was open.
    let changes: [ConcurrentEdit]
    let isChanged: Bool
    let name: String
    let maximumNameLength: Int
    /// Says what takes effect at once, and what from which day.
    let whenItCounts: String
    let isCadence: Bool
    let weeks: [FormOption]
    let anchor: String
    let timeZone: String
    let timeZones: [String]
    let threshold: String
    let thresholds: Bounds
    /// A sentence with the running sprint's threshold; `nil` if it equals the team's.
    let thresholdInForce: String?
    /// The higher threshold that sending the form again confirms.
    let confirmedThreshold: String?
    /// A warning about a threshold that the team cannot reach.
    let warning: String?
    let policies: [Policy]
    /// A sentence with the running sprint's policy; `nil` if it equals the team's.
    let policyInForce: String?
    let readers: [FormOption]
    let ballots: [FormOption]
    let actionAuthors: [FormOption]
    let graceDays: [FormOption]

    /// The range of a number field.
    struct Bounds: Sendable {
        let least: Int
        let most: Int
    }

    /// A policy to choose.
    struct Policy: Sendable {
        let value: String
        let label: String
        /// What it protects.
        let text: String
        /// What a team of this size sees, and when.
        let seen: String
        /// Whether it protects no one.
        let isWarning: Bool
        let isChosen: Bool
    }

    /// - Parameters:
    ///   - form: values of the fields.
    ///   - seen: as in `ShownFields`.
    ///   - confirms: the higher threshold that sending the form again confirms.
    ///   - running: the running sprint, which keeps its terms.
    init(
        _ head: ManageHead, team: Team, form: TeamSettingsForm, seen: String, confirms: String?,
        changes: [ConcurrentEdit], running: Sprint, words: LocalizedTexts, language: PageLanguage
    ) {
        let names = TeamSettingsTexts(words: words, language: language)
        self.head = head
        self.seen = seen
        self.changes = changes
        isChanged = !changes.isEmpty
        name = form.name
        maximumNameLength = TeamName.maximumLength
        let next = CalendarDay(instant: running.end, in: team.settings.zone).text(in: language)
        whenItCounts = words.text("teamSettings.whenItCounts", ["day": next])
        isCadence = form.calendar == "cadence"
        weeks = SprintCalendar.cadenceWeeks.map { count in
            FormOption(String(count), names.label(weeks: count), isChosen: String(count) == form.weeks)
        }
        anchor = form.anchor
        timeZone = form.timeZone
        timeZones = Self.zones
        threshold = form.threshold
        thresholds = Bounds(least: TeamSettings.thresholds.lowerBound, most: TeamSettings.thresholds.upperBound)
        thresholdInForce =
            running.threshold == team.settings.threshold
            ? nil : words.text("teamSettings.thresholdInForce", ["k": String(running.threshold)])
        confirmedThreshold = confirms
        let isOutOfReach = team.memberCount > 0 && team.memberCount < team.settings.threshold
        warning =
            isOutOfReach
            ? words.text(
                "teamSettings.outOfReach", count: team.memberCount,
                ["people": words.number(team.memberCount), "k": String(team.settings.threshold)]) : nil
        policies = PublicationPolicy.allCases.map { policy in
            Policy(
                value: policy.rawValue, label: names.label(policy), text: names.text(policy),
                seen: names.seen(policy, members: team.memberCount, threshold: team.settings.threshold),
                isWarning: policy == .immediate, isChosen: policy.rawValue == form.policy)
        }
        policyInForce =
            running.policy == team.settings.policy
            ? nil : words.text("teamSettings.policyInForce", ["policy": names.label(running.policy)])
        readers = Team.FeedbackReaders.allCases.map { readers in
            FormOption(readers.rawValue, names.label(readers), isChosen: readers.rawValue == form.feedbackReaders)
        }
        ballots = Team.AcceptedBallots.allCases.map { ballots in
            FormOption(ballots.rawValue, names.label(ballots), isChosen: ballots.rawValue == form.ballots)
        }
        actionAuthors = Team.ActionAuthors.allCases.map { authors in
            FormOption(authors.rawValue, names.label(authors), isChosen: authors.rawValue == form.actionAuthors)
        }
        graceDays = TeamSettings.graceDayRange.map { count in
            FormOption(String(count), names.label(graceDays: count), isChosen: String(count) == form.graceDays)
        }
    }

    /// Time zones named after a place; the others exist for old programs.
    static let zones = TimeZone.knownTimeZoneIdentifiers.filter { $0.contains("/") || $0 == "UTC" }.sorted()
}
