import Domain
import Hummingbird
import Services

/// The overview of a team's management: participation, trend, and links to all settings.
struct TeamOverviewPageController: Sendable {
    let forms: ManageForms
    let histories: HistoryCache
    let marks: TeamMarksCache
    let reminders: ReminderService

    /// `GET /teams/{team}/manage`
    func show(_ request: Request, context: AppRequestContext) async throws -> Response {
        try await forms.show(request, context) { visit in
            let visited = try visit.visitedTeam()
            // Only people in the team see results; an administrator who manages it from outside sees the links to the
            // settings.
            let history =
                visited.role == nil ? nil : try await histories.history(of: visited.team.id).publications
            return TeamOverviewPage(
                ManageHead(visit, visited.team, address: .management(of: visited.team.id)), visited.team,
                history: history, marks: history == nil ? [] : try await marks.marks(of: visited.team.id).marks,
                reminders: try await reminders.settings(of: visited.team.id, by: visit.principal.caller),
                words: visit.words)
        }
    }
}

/// Participation and trend, and links to the settings.
struct TeamOverviewPage: Page {
    static let template = "manage"

    let head: ManageHead
    /// `nil` if the viewer is not in the team.
    let results: Results?
    let ways: [Way]

    /// Results of closed sprints.
    struct Results: Sendable {
        /// `nil` while no sprint is closed.
        let chart: Chart?
        let trend: Trend
        /// Newest first.
        let rows: [Row]
    }

    /// How the team's happiness develops.
    struct Trend: Sendable {
        /// `nil` with fewer than two results. Not called `chart`: a template would find that of the participation.
        let picture: Chart?
        /// The change in one line, or why there is none.
        let change: String
        /// Sentences about how it comes about; empty if there is no comparison.
        let details: [String]
        /// Whether there are such sentences.
        let hasDetails: Bool
    }

    /// The chart for wide and narrow windows.
    struct Chart: Sendable {
        let wide: Drawing
        let narrow: Drawing
    }

    /// A sprint's row in the table.
    struct Row: Sendable {
        let label: String
        let address: SitePath
        let dates: String
        let answers: String
        let share: String
        let isImported: Bool
    }

    /// A link to another page.
    struct Way: Sendable {
        let address: SitePath
        let label: String
        /// The current setting.
        let present: String
    }

    /// Number of sprints shown: a year of two-week sprints. Narrow windows show half of them.
    private static let shown = 26
    private static let shownNarrow = 13

    /// - Parameters:
    ///   - history: in order of start; `nil` if the viewer may not read it.
    ///   - marks: where actions began.
    init(
        _ head: ManageHead, _ team: Team, history: [Publication]?, marks: [HistoryMark], reminders: ReminderSettings,
        words: LocalizedTexts
    ) {
        self.head = head
        results = history.map { Results($0, marks: marks, team: team, words: words) }
        ways = Self.ways(team, reminders: reminders, words: words)
    }

    private static func ways(_ team: Team, reminders: ReminderSettings, words: LocalizedTexts) -> [Way] {
        let people =
            team.memberCount == 1
            ? words.text("manage.onePerson") : words.text("manage.people", ["count": words.number(team.memberCount)])
        let started = team.settings.policy.starting(with: team.memberCount, threshold: team.settings.threshold)
        let policy = words.text("teamSettings.\(started.rawValue)")
        let rule = words.text("manage.rule", ["k": String(team.settings.threshold), "policy": policy])
        let hour = words.text("manage.hour", ["hour": String(reminders.hour)])
        return [
            Way(address: .teamSettings(of: team.id), label: words.text("teamSettings.title"), present: rule),
            Way(
                address: .reminders(of: team.id), label: words.text("teamReminders.title"),
                present: reminders.isOn ? hour : words.text("manage.off")),
            Way(address: .members(of: team.id), label: words.text("members.title"), present: people),
            Way(address: .messages(of: team.id), label: words.text("teamMessages.title"), present: ""),
            Way(address: .experiments(of: team.id), label: words.text("experiments.title"), present: ""),
        ]
    }
}

extension TeamOverviewPage.Results {
    fileprivate init(_ history: [Publication], marks: [HistoryMark], team: Team, words: LocalizedTexts) {
        let closed = history.filter(\.isClosed).suffix(TeamOverviewPage.shown)
        let byLabel = Dictionary(history.map { ($0.sprint.label, $0) }) { first, _ in first }
        let begun = Dictionary(marks.map { ($0.start, $0.titles) }) { first, _ in first }
        let bars = closed.map { publication in
            let sprint = publication.sprint
            let before = byLabel[sprint.label.yearBefore]
            return ParticipationChart.Bar(
                start: sprint.start, end: sprint.end, share: publication.participation, votes: publication.votes,
                eligible: publication.eligible ?? publication.votes, yearBefore: before?.participation,
                isImported: sprint.isImported, isYearBeforeImported: before?.sprint.isImported == true,
                begun: begun[sprint.start] ?? [],
                address: SitePath.sprint(sprint.label, of: team.id).description)
        }
        func draw(_ bars: [ParticipationChart.Bar], _ size: HistoryChart.Size, _ id: String) -> Drawing {
            Drawing(
                svg: ParticipationChart(
                    bars: bars, words: words, zone: team.settings.zone, size: size, id: "participation-\(id)"
                ).svg())
        }
        chart =
            closed.isEmpty
            ? nil
            : TeamOverviewPage.Chart(
                wide: draw(bars, HistoryChart.Size(width: 880, height: 260), "wide"),
                narrow: draw(
                    bars.suffix(TeamOverviewPage.shownNarrow), HistoryChart.Size(width: 340, height: 220), "narrow"))
        trend = TeamOverviewPage.Trend(history, shown: Array(closed), marks: marks, team: team, words: words)
        let dates = SprintTexts(words: words, zone: team.settings.zone)
        rows = closed.reversed().map { publication in
            let values = [
                "votes": words.number(publication.votes),
                "people": words.number(publication.eligible ?? publication.votes),
                "k": String(publication.sprint.threshold),
            ]
            return TeamOverviewPage.Row(
                label: publication.sprint.label.description,
                address: .sprint(publication.sprint.label, of: team.id),
                dates: dates.shortDates(of: publication.sprint),
                answers: publication.participation != nil
                    ? words.text("manage.votesOf", values) : words.text("manage.fewer", values),
                share: publication.participation.map { words.percent($0) } ?? "–",
                isImported: publication.sprint.isImported)
        }
    }
}

extension TeamOverviewPage.Trend {
    /// - Parameters:
    ///   - history: in order of start.
    ///   - shown: the closed sprints in the chart.
    fileprivate init(
        _ history: [Publication], shown: [Publication], marks: [HistoryMark], team: Team, words: LocalizedTexts
    ) {
        func draw(_ publications: [Publication], _ size: HistoryChart.Size, _ id: String) -> Drawing {
            Drawing(
                svg: HistoryChart(
                    teamName: team.name, points: publications.compactMap(\.historyPoint), marks: marks,
                    appearance: .light, words: words, zone: team.settings.zone, size: size, id: "trend-\(id)",
                    page: HistoryChart.Page { SitePath.sprint($0, of: team.id).description }
                ).svg())
        }
        picture =
            shown.count(where: \.isPublished) < 2
            ? nil
            : TeamOverviewPage.Chart(
                wide: draw(shown, HistoryChart.Size(width: 880, height: 300), "wide"),
                narrow: draw(
                    Array(shown.suffix(TeamOverviewPage.shownNarrow)), HistoryChart.Size(width: 340, height: 260),
                    "narrow"))
        let trend = TeamTrend(history)
        change = trend?.plain(words) ?? words.text("manage.noTrend")
        details = trend?.sentences(words) ?? []
        hasDetails = !details.isEmpty
    }
}

extension Publication {
    /// Published votes as a share of eligible members, 0...1; `nil` if they are withheld or the sprint is running. Under
    /// `immediate` nothing is withheld, so nobody voted if nothing is published.
    var participation: Double? {
        guard isPublished || sprint.policy == .immediate, let eligible, eligible > 0 else { return nil }
        return Double(votes) / Double(eligible)
    }
}
