import Foundation
import Shared

/// The form for a team's settings, with what each protects and when it counts.
struct TeamSettingsPage: Page {
    static let template = "manage-settings"

    let head: ManageHead
    let name: String
    let maximumNameLength: Int
    /// What counts at once, and what from which day on.
    let whenItCounts: String
    let isCadence: Bool
    let weeks: [ManageChoice]
    let anchor: String
    let timeZone: String
    let timeZones: [String]
    let threshold: String
    let thresholds: Bounds
    /// Said of a threshold that the team cannot reach.
    let warning: String?
    let policies: [Policy]
    let readers: [ManageChoice]
    let graceDays: [ManageChoice]

    /// Of a number.
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
        /// Whether it protects nobody.
        let isWarning: Bool
        let isChosen: Bool
    }

    /// - Parameters:
    ///   - form: what the fields hold.
    ///   - running: the sprint that keeps the terms it began with.
    init(
        _ head: ManageHead, team: Team, form: TeamSettingsForm, running: Sprint, words: PageWords,
        language: PageLanguage
    ) {
        self.head = head
        name = form.name
        maximumNameLength = TeamName.maximumLength
        let next = CalendarDay(instant: running.end, in: team.settings.zone).text(in: language)
        whenItCounts = words.text("teamSettings.whenItCounts", ["day": next])
        isCadence = form.calendar == "cadence"
        weeks = SprintCalendar.cadenceWeeks.map { count in
            let label =
                count == 1
                ? words.text("teamSettings.oneWeek") : words.text("teamSettings.weeks", ["count": String(count)])
            return ManageChoice(String(count), label, isChosen: String(count) == form.weeks)
        }
        anchor = form.anchor
        timeZone = form.timeZone
        timeZones = Self.zones
        threshold = form.threshold
        thresholds = Bounds(least: TeamSettings.thresholds.lowerBound, most: TeamSettings.thresholds.upperBound)
        let isOutOfReach = team.memberCount > 0 && team.memberCount < team.settings.threshold
        warning =
            isOutOfReach
            ? words.text(
                "teamSettings.outOfReach", count: team.memberCount,
                ["people": String(team.memberCount), "k": String(team.settings.threshold)]) : nil
        policies = PublicationPolicy.allCases.map { policy in
            let (label, text) = Self.texts(of: policy, words)
            return Policy(
                value: policy.rawValue, label: label, text: text, isWarning: policy == .immediate,
                isChosen: policy.rawValue == form.policy)
        }
        readers = [
            ManageChoice(
                Team.FeedbackReaders.team.rawValue, words.text("teamSettings.teamReads"),
                isChosen: form.feedbackReaders == Team.FeedbackReaders.team.rawValue),
            ManageChoice(
                Team.FeedbackReaders.leads.rawValue, words.text("teamSettings.leadsRead"),
                isChosen: form.feedbackReaders == Team.FeedbackReaders.leads.rawValue),
        ]
        graceDays = TeamSettings.graceDayRange.map { count in
            let label =
                switch count {
                case 0: words.text("teamSettings.noGrace")
                case 1: words.text("teamSettings.oneDay")
                default: words.text("teamSettings.days", ["count": String(count)])
                }
            return ManageChoice(String(count), label, isChosen: String(count) == form.graceDays)
        }
    }

    private static func texts(of policy: PublicationPolicy, _ words: PageWords) -> (label: String, text: String) {
        switch policy {
        case .live: (words.text("teamSettings.live"), words.text("teamSettings.liveText"))
        case .close: (words.text("teamSettings.close"), words.text("teamSettings.closeText"))
        case .immediate: (words.text("teamSettings.immediate"), words.text("teamSettings.immediateText"))
        }
    }

    /// Names with a place in them; the others are kept for old programs.
    private static let zones = TimeZone.knownTimeZoneIdentifiers.filter { $0.contains("/") || $0 == "UTC" }.sorted()
}
